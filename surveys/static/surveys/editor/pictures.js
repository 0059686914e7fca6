/** A picture that is uploaded: made small in the browser where it is too big, checked and written anew by the server. */
import { fill, gettext } from "../panel/words.js";
import { html, useState } from "./view.js";

const LONGEST = 1200;
const MOST_BYTES = 300 * 1024;
const PHOTO = ["image/webp", "image/jpeg"];
const DRAWING = ["image/webp", "image/png", "image/jpeg"]; // of these only the last one is never transparent
const QUALITY = 0.85;

/** `shown` is what the definition has of the picture; `onChange` gets the new one, or null. */
export function PictureField({ draft, shown, language, path, onChange, onAlternative, label = gettext("Picture"), longest = LONGEST }) {
  const [said, setSaid] = useState("");
  const { definition, addresses } = draft;
  const chosen = async (event) => {
    const [file] = event.target.files;
    event.target.value = "";
    if (file) {
      setSaid(gettext("Uploading …"));
      const { picture, fault } = await uploaded(draft, file, longest);
      setSaid(fault);
      if (picture) {
        onChange(picture);
      }
    }
  };
  return html`<div class="editor-shown">
    ${shown && html`<img src=${`${addresses.picture}${shown.digest}.${shown.type}`} alt="" width=${shown.width} height=${shown.height} />`}
    <p><label class="editor-text">${shown ? fill(gettext("Replace: {name}"), { name: label }) : `+ ${label}`}<input type="file" class="candor-out" data-path=${path}
      accept="image/png,image/jpeg,image/webp" onChange=${chosen} /></label>
      ${shown && html` <button type="button" class="editor-text editor-danger" onClick=${() => onChange(null)}>${gettext("Remove")}</button>`}</p>
    <p aria-live="polite" class=${said ? "" : "candor-out"}>${said}</p>
    ${shown && html`<label class="editor-field">${gettext("Alternative text")} <small class="candor-quiet">${gettext("What it shows, for people who cannot see it.")}</small>
      <input class="candor-field" lang=${language} dir="auto" data-path=${`${path}/alternative`} value=${shown.alternative[language] ?? ""}
        placeholder=${shown.alternative[definition.languages[0]] ?? ""} onInput=${(event) => onAlternative(event.target.value)} /></label>`}
  </div>`;
}

async function uploaded(draft, file, longest) {
  try {
    const body = new FormData();
    body.append("picture", await small(file, longest), "picture");
    const answer = await fetch(draft.addresses.pictures, { method: "POST", body, headers: { "X-CSRFToken": draft.token } });
    const found = await answer.json();
    return answer.ok ? { picture: found, fault: "" } : { picture: null, fault: `${found.message[0].toUpperCase()}${found.message.slice(1)}.` };
  } catch {
    return { picture: null, fault: gettext("The picture could not be uploaded. Try again.") };
  }
}

/** The file itself where it is small enough; a photo upright, no longer than that, and without what the camera wrote. */
async function small(file, longest) {
  const bitmap = await createImageBitmap(file).catch(() => null);
  if (bitmap === null || (file.type !== "image/jpeg" && file.size <= MOST_BYTES && Math.max(bitmap.width, bitmap.height) <= longest)) {
    return file;
  }
  const scale = Math.min(1, longest / Math.max(bitmap.width, bitmap.height));
  const canvas = Object.assign(document.createElement("canvas"), { width: Math.round(bitmap.width * scale), height: Math.round(bitmap.height * scale) });
  canvas.getContext("2d").drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  for (const type of file.type === "image/jpeg" ? PHOTO : DRAWING) {
    const blob = await new Promise((resolve) => canvas.toBlob(resolve, type, QUALITY));
    if (blob?.type === type && blob.size <= MOST_BYTES) {
      return blob;
    }
  }
  return file;
}
