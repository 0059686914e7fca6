/** Takes the secret of an invitation out of the link's fragment, where no server sees it, and sends it in a form. */

const form = document.querySelector("[data-join]");
if (form !== null && location.hash.length > 1) {
  form.elements.namedItem("secret").value = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  form.requestSubmit();
}
