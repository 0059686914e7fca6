/**
 * The theme lays the groups out as a table and names a field by the head of its column alone. This gives each field
 * that has no label the words of that head, for those who cannot see it stand above.
 */
function nameFields() {
  for (const field of document.querySelectorAll("[data-inline-type=tabular] td :is(input, select, textarea)")) {
    if (field.labels?.length === 0) {
      const cell = field.closest("td");
      const head = field.closest("table").querySelector(`thead th:nth-child(${cell.cellIndex + 1})`);
      field.setAttribute("aria-label", head?.textContent.trim().replace(/\s+/g, " ") ?? "");
    }
  }
}

/**
 * Show of a question what its kind and its mechanism have a use for. What is away is not sent, so it is forgotten; a
 * field with a fault stays, so that what the fault is can be read.
 */
function tidy(kind) {
  const control = (name) => document.getElementById(kind.id.replace(/kind$/, name));
  const mechanism = control("mechanism");
  offer(mechanism, JSON.parse(kind.dataset.mechanisms)[kind.value]);
  for (const select of [kind, mechanism, control("classes_by")]) {
    const fields = JSON.parse(select.dataset.fields);
    const used = select.disabled ? [] : (fields[select.value] ?? []);
    Object.values(fields).flat().forEach((name) => show(control(name), used.includes(name)));
  }
}

/** Leave the mechanisms that a kind may have; the first of them in place of one that it may not. */
function offer(mechanism, names) {
  for (const option of mechanism.options) {
    option.hidden = option.disabled = !names.includes(option.value);
  }
  if (!names.includes(mechanism.value)) {
    mechanism.value = names[0];
  }
}

function show(control, wanted) {
  const line = control.closest(".field-line");
  const away = !wanted && line.querySelector(".errorlist") === null;
  control.disabled = away;
  line.hidden = away;
  line.parentElement.hidden = [...line.parentElement.children].every(({ hidden }) => hidden);
}

function tidyAll() {
  document.querySelectorAll("select[data-mechanisms]").forEach(tidy);
}

nameFields();
tidyAll();
document.addEventListener("formset:added", nameFields);
document.addEventListener("formset:added", tidyAll);
document.addEventListener("change", ({ target }) => {
  if (target.matches("select[data-fields]")) {
    tidy(document.getElementById(target.id.replace(/(mechanism|classes_by)$/, "kind")));
  }
});
