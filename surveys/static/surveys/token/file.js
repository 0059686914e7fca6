/** The token as a small file: a page with one link in it, which loads nothing and runs nothing. */

/**
 * @param {string} link
 * @param {{title: string, lead: string, open: string}} words  in the page's language
 * @param {{lang: string, dir: string}} root
 * @returns {string}
 */
export function fileOf(link, { title, lead, open }, { lang, dir }) {
  return `<!doctype html>
<html lang="${escaped(lang)}" dir="${escaped(dir)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escaped(title)}</title>
</head>
<body>
<h1>${escaped(title)}</h1>
<p>${escaped(lead)}</p>
<p><a href="${escaped(link)}" rel="noreferrer">${escaped(open)}</a></p>
</body>
</html>
`;
}

/** Have the browser save a text as a file; nothing of it goes over the network. */
export function saveFile(window, name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/html" }));
  const anchor = window.document.createElement("a");
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  window.setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

function escaped(text) {
  const marks = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replace(/[&<>"]/g, (mark) => marks[mark]);
}
