/**
 * Reports that wait on this device because no receipt confirmed them: the databases of `client/store.js`. The page of a
 * closed survey has no script that could take them away; here they can be.
 */

const REPORT = /^candor-report-([0-9a-f]{64})$/;

/**
 * @param {Window} window
 * @returns {Promise<{name: string, digest: string}[]>}  of the surveys that a report waits for
 */
export async function waitingOn({ indexedDB }) {
  const databases = await indexedDB.databases();
  // WebKit lists one whose making was aborted, with version 0.
  const names = databases.filter(({ version }) => version > 0).map(({ name }) => name);
  return names.sort().filter((name) => REPORT.test(name)).map((name) => ({ name, digest: REPORT.exec(name)[1] }));
}

/** Take one away for good. */
export function discard({ indexedDB }, name) {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name);
    request.onsuccess = resolve;
    request.onerror = () => reject(request.error);
  });
}
