/** Takes the code of a sign-in link out of its fragment, where no server sees it; nothing is sent before a press. */

const form = document.querySelector("[data-sign-in]");

function take() {
  if (location.hash.length > 1) {
    form.elements.namedItem("code").value = location.hash.slice(1);
    history.replaceState(null, "", location.pathname);
    form.querySelector("[data-by-hand]").hidden = true;
    form.querySelector("[data-by-link]").hidden = false;
  }
}

take();
window.addEventListener("hashchange", take);
