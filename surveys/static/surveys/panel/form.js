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

nameFields();
document.addEventListener("formset:added", nameFields);
