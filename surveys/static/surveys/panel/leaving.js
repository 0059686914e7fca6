/**
 * The browser asks before the plain form is left with changes that are not saved: typed, ticked, moved, copied or taken
 * away, or sent and refused. Without this script everything works, and nothing is asked.
 */
const form = document.getElementById("survey_form");
let unsaved = document.querySelector("[data-errors], [data-stale]") !== null;

const changed = () => {
  unsaved = true;
};

form.addEventListener("input", changed);
form.addEventListener("change", changed);
document.addEventListener("formset:removed", changed);
form.addEventListener("submit", () => {
  unsaved = false;
});
addEventListener("beforeunload", (event) => unsaved && event.preventDefault());
