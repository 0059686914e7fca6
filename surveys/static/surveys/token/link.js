import { Refusal } from "../client/refusal.js";

/** What leads here, `#<digest>[&group=<key>][&code=<code>]`, and the link that comes of it. */

const LINK = /^([0-9a-f]{64})(?:&group=([a-z0-9_-]{1,64}))?(?:&code=([^&]{1,80}))?$/i;

/** @returns {{digest: string, group: string, code: string}}  empty what is not named */
export function readLink(fragment) {
  const link = fragment.replace(/^#/, "");
  if (link === "") {
    return { digest: "", group: "", code: "" };
  }
  const found = LINK.exec(link);
  if (found === null) {
    throw new Refusal("link-damaged");
  }
  const [, digest, group = "", code = ""] = found;
  return { digest: digest.toLowerCase(), group, code };
}

/** The link that answers the survey with a token. */
export function answeringLink(survey, digest, group, token) {
  return `${survey}#${digest}${group === "" ? "" : `&group=${group}`}&invitation=${token}`;
}
