import { element, part } from "./elements.js";

/**
 * "Check this page": the digest as this device computed it, the commands that check it from elsewhere, the exact body.
 */
export class CheckThisPage {
  #root;
  #sentences;

  constructor(root, sentences) {
    this.#root = root;
    this.#sentences = sentences;
  }

  /**
   * @param {string} digest
   * @param {boolean} named  whether the link names the digest (then it is the same one)
   * @param {string} survey  its address
   * @param {Location} page  the address of this page; query and fragment say nothing to the server and are left out
   */
  showDigest(digest, named, survey, page) {
    part(this.#root, "check-digest").textContent = digest;
    part(this.#root, "check-link").textContent = this.#sentences.say(named ? "link-named" : "link-silent");
    part(this.#root, "check-design").textContent = `curl -s ${survey}design.json | sha256sum`;
    part(this.#root, "check-page").textContent = `curl -s ${page.origin}${page.pathname} | sha256sum`;
    this.#showPictures(page.origin);
  }

  /** The addresses that stand there become commands, once. */
  #showPictures(origin) {
    const place = this.#root.querySelector("[data-part=check-pictures]");
    const lines = place?.textContent.trim().split("\n") ?? [];
    if (lines[0]?.startsWith("/")) {
      place.textContent = lines.map((line) => `curl -s ${origin}${line} | sha256sum`).join("\n");
    }
  }

  /**
   * @param {string} body  the exact body of the request; empty: nothing was sent
   * @param {string} [url]  where it goes
   * @param {string} [sum]  what goes with it for the work that was asked for
   */
  showBody(body, url = "", sum = "") {
    const shown = blotted(body);
    // Letters, digits and punctuation of JSON: nothing in a body ends a quoted word of a shell.
    const work = sum === "" ? "" : ` -H 'Candor-Work: ${sum}'`;
    const types = `-H 'Content-Type: application/json'${work}`;
    part(this.#root, "check-again").hidden = body === "";
    part(this.#root, "check-receipt").textContent = body === "" ? "" : `printf %s '${shown}' | sha256sum`;
    part(this.#root, "check-repeat").textContent =
      body === "" ? "" : `curl -s ${types} -H 'Origin: ${new URL(url).origin}' --data-binary '${shown}' ${url}`;
    const text = body === "" ? element("p", this.#sentences.say("body-none")) : element("pre", shown);
    part(this.#root, "check-body").replaceChildren(text);
  }
}

/** An invitation is not shown: it tells who took part to whoever knows where it went. */
function blotted(body) {
  return body.replace(/"invitation":"[^"]*"/, '"invitation":"…"');
}
