/**
 * What a page looks like before it is painted: light or dark, whether its sidebar is away, and in which zone its times are. Not a module, because it
 * must run before the page is there.
 */
"use strict";

{
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const icons = { light: "light_mode", dark: "dark_mode", auto: "computer" };

  /** @returns {"light" | "dark" | "auto"}  what this browser's user has chosen */
  function chosen() {
    const theme = (localStorage.getItem("adminTheme") ?? "").replaceAll('"', "");
    return theme in icons ? theme : "auto";
  }

  function paint() {
    const theme = chosen();
    root.classList.toggle("dark", theme === "dark" || (theme === "auto" && system.matches));
    root.classList.toggle("light", theme === "light");
    root.classList.toggle("candor-wide", localStorage.getItem("sidebarDesktopOpen") === "0");
    document.querySelectorAll("[data-theme]").forEach((button) => {
      button.setAttribute("aria-pressed", String(button.dataset.theme === theme));
    });
    document.querySelectorAll("[data-theme-icon]").forEach((icon) => {
      icon.textContent = icons[theme];
    });
  }

  function choose(theme) {
    localStorage.setItem("adminTheme", theme);
    paint();
  }

  // The server shows and reads times in this browser's zone.
  const [prefix, secure] = location.protocol === "https:" ? ["__Secure-", "; secure"] : ["", ""];
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  document.cookie = `${prefix}candor_zone=${zone}; path=/panel/; max-age=31536000; samesite=strict${secure}`;
  paint();
  system.addEventListener("change", paint);
  document.addEventListener("DOMContentLoaded", paint);
  document.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-theme]");
    if (button !== null) {
      choose(button.dataset.theme);
    }
  });
  document.addEventListener("keydown", (event) => {
    if ((event.metaKey || event.ctrlKey) && event.key === "e") {
      event.preventDefault();
      choose(chosen() === "light" ? "dark" : "light");
    }
  });
}
