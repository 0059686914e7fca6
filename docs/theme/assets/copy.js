// Names the landmark that the theme's script puts around the button beside each program: unnamed ones cannot be told apart.
{
  const name = () => {
    for (const [place, nav] of document.querySelectorAll(".md-code__nav").entries()) {
      nav.setAttribute("aria-label", `Code ${place + 1}`);
    }
  };
  new MutationObserver(name).observe(document.body, { childList: true, subtree: true });
  name();
}
