/**
 * One request, and what came of it. It holds the code and the blinded message; the browser adds its address and the
 * time, as it does everywhere.
 *
 * @typedef {{state: "signed", signed: string} | {state: "refused" | "closed" | "busy" | "away"}} Reply
 */

/** A request that takes longer (milliseconds) is given up; the same can be asked again. */
const PATIENCE = 20_000;

const REFUSED = { 403: "refused", 404: "closed", 410: "closed", 429: "busy" };

/** @returns {Promise<Reply>} */
export async function requestSignature(fetch, url, { design, code, blinded }) {
  try {
    const response = await fetch(url, request(JSON.stringify({ design, code, blinded })));
    return response.status === 200
      ? { state: "signed", signed: (await response.json()).signed }
      : { state: REFUSED[response.status] ?? "away" };
  } catch {
    return { state: "away" };
  }
}

/** As a report is sent: no cookie, no referrer, no other address; with "cors" the browser names the page's origin. */
function request(body) {
  return {
    method: "POST",
    body,
    headers: { "Content-Type": "application/json" },
    mode: "cors",
    credentials: "omit",
    referrerPolicy: "no-referrer",
    cache: "no-store",
    redirect: "error",
    signal: AbortSignal.timeout(PATIENCE),
  };
}
