/** The panel's menus, sidebar, filters and search: what opens, and what closes it again. */

const WIDE = matchMedia("(min-width: 80rem)");
const root = document.documentElement;
const filters = document.getElementById("changelist-filter");
const filtersButton = document.querySelector("[data-filters]");

/** The theme's icons are words in a font that draws them, such as "confirmation_number": nothing to be read out. */
for (const icon of document.querySelectorAll(".material-symbols-outlined")) {
  icon.setAttribute("aria-hidden", "true");
}

/** On a wide screen the sidebar is there until it is put away, for good; on a narrow one it comes for a moment. */
function toggleSidebar() {
  if (WIDE.matches) {
    const away = root.classList.toggle("candor-wide");
    localStorage.setItem("sidebarDesktopOpen", away ? "0" : "1");
  } else {
    root.classList.toggle("candor-sidebar-open");
  }
}

function showFilters(open) {
  filters?.classList.toggle("candor-open", open);
  filtersButton?.setAttribute("aria-expanded", String(open));
  document.body.classList.toggle("overflow-hidden", open);
  if (filters !== null && open) {
    filters.querySelector("a, input, select, button")?.focus();
  }
}

/** Menus stay open for what happens within them alone. */
function closeMenus(target = null) {
  for (const menu of document.querySelectorAll("[data-menu][open]")) {
    menu.open = menu.contains(target);
  }
}

function isField(element) {
  return element.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(element.tagName);
}

document.addEventListener("click", ({ target }) => {
  closeMenus(target);
  if (target.closest("[data-sidebar]") !== null) {
    toggleSidebar();
  } else if (target.closest("[data-filters]") !== null) {
    showFilters(true);
  } else if (target.id === "changelist-filter-close") {
    showFilters(false);
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    const opener = document.querySelector("[data-menu][open] > summary");
    closeMenus();
    opener?.focus();
    if (filters?.classList.contains("candor-open")) {
      showFilters(false);
      filtersButton?.focus();
    }
  } else if (event.key === "/" && !isField(document.activeElement)) {
    const search = document.getElementById("searchbar");
    if (search !== null) {
      event.preventDefault();
      search.focus();
    }
  }
});
