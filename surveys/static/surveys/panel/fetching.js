/**
 * A page, or a part of one, of this site. The browser reads it as it arrives: no script makes markup from a text.
 * @param {string} address
 * @returns {Promise<Document | null>}  null where the server refuses it or leads elsewhere; rejects where it is silent
 */
export function fetchedDocument(address) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("GET", address);
    request.responseType = "document";
    request.setRequestHeader("Accept", "text/html");
    request.addEventListener("error", () => reject(new Error("no answer")));
    request.addEventListener("load", () => {
      const own = request.responseURL === new URL(address, location.href).href;
      resolve(own && request.status === 200 ? request.response : null);
    });
    request.send();
  });
}
