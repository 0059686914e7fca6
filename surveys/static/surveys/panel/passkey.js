/** Has the browser make or use a passkey, and sends what it answers in the page's form. */

const form = document.querySelector("[data-passkey]");
const fault = form.querySelector("[data-fault]");

function bytes(text) {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
}

function text(buffer) {
  const plain = String.fromCharCode(...new Uint8Array(buffer));
  return btoa(plain).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The options with bytes where the page has base64url. */
function read(options) {
  const listed = (list) => list?.map((one) => ({ ...one, id: bytes(one.id) }));
  return {
    ...options,
    challenge: bytes(options.challenge),
    ...(options.user && { user: { ...options.user, id: bytes(options.user.id) } }),
    ...(options.excludeCredentials && { excludeCredentials: listed(options.excludeCredentials) }),
    ...(options.allowCredentials && { allowCredentials: listed(options.allowCredentials) }),
  };
}

/** The browser's answer as JSON, with bytes in base64url. */
function written(credential) {
  const response = {};
  for (const name of ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]) {
    if (credential.response[name]) {
      response[name] = text(credential.response[name]);
    }
  }
  const { id, type } = credential;
  return JSON.stringify({ id, rawId: id, type, response, clientExtensionResults: {} });
}

async function ask() {
  const publicKey = read(JSON.parse(form.dataset.options));
  const asks = form.dataset.passkey === "create" ? "create" : "get";
  form.elements.namedItem("answer").value = written(await navigator.credentials[asks]({ publicKey }));
  form.submit();
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  fault.hidden = true;
  ask().catch(() => {
    fault.hidden = false;
  });
});

if (window.PublicKeyCredential) {
  form.querySelector("button").disabled = false;
} else {
  fault.hidden = false;
}
