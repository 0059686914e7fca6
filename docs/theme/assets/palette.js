// Applies the colours that a reader chose before the page is drawn; without a choice the device's.
{
  const chosen = __md_get("__palette")?.color;
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const colours = chosen ?? { scheme: dark ? "slate" : "default", primary: "custom", accent: "custom" };
  for (const [name, value] of Object.entries(colours)) {
    document.body.setAttribute(`data-md-color-${name}`, value);
  }
}
