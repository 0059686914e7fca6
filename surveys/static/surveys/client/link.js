import { Refusal } from "./refusal.js";

/**
 * What the link says after #: the digest, which a group and an invitation may follow. Nothing of it goes to a server.
 */

const LINK = /^([0-9a-f]{64})(?:&group=([a-z0-9_-]+))?$/i;

const INVITATION = /&invitation=([^&]*)/i;

/**
 * Take the invitation out of the address bar, and out of the entry that the tab's history has of this page. From here on
 * it is in memory alone.
 *
 * @param {Window} window
 * @returns {{fragment: string, invitation: string | null}}  what is left after #, and what was taken; null: there was none
 */
export function takeLink({ location, history }) {
  const [whole, invitation] = INVITATION.exec(location.hash) ?? ["", null];
  const fragment = location.hash.replace(whole, "");
  if (invitation !== null) {
    history.replaceState(null, "", `${location.pathname}${location.search}${fragment}`);
  }
  return { fragment, invitation };
}

/**
 * Lead to the same page in other languages with this link: whatever it names is named there too.
 *
 * @param {Element} root
 * @param {{fragment: string, invitation: string | null}} link
 */
export function carryLink(root, { fragment, invitation }) {
  const hash = fragment + (invitation === null ? "" : `&invitation=${invitation}`);
  root.querySelectorAll("a[hreflang]").forEach((door) => {
    door.hash = hash;
  });
}

/**
 * Compare the digest with the one in the link, `#<64 hex digits>`, which a group may follow.
 *
 * @param {string} fragment  without an invitation
 * @param {string} digest
 * @returns {boolean}  whether the link names a digest at all; another digest is refused
 */
export function linkNames(fragment, digest) {
  const link = fragment.replace(/^#/, "");
  if (link === "") {
    return false;
  }
  const named = LINK.exec(link)?.[1].toLowerCase();
  if (named === undefined) {
    throw new Refusal("link-damaged");
  }
  if (named !== digest) {
    throw new Refusal("link-other", { named, digest });
  }
  return true;
}

/**
 * The group that the link names after the digest, `&group=<key>`: it is ticked as the questions begin.
 *
 * @returns {number | null}  its place in the design
 */
export function groupNamed(fragment, { groups }) {
  const key = LINK.exec(fragment.replace(/^#/, ""))?.[2];
  const place = groups.findIndex((group) => group.key === key);
  if (key !== undefined && place === -1) {
    throw new Refusal("link-damaged");
  }
  return place === -1 ? null : place;
}

/** The same link in another language: whatever the fragment names is named there too. Nothing is answered yet. */
export function carryLink(root, { fragment, invitation }) {
  const hash = fragment + (invitation === null ? "" : `&invitation=${invitation}`);
  root.querySelectorAll("a[hreflang]").forEach((door) => {
    door.hash = hash;
  });
}
