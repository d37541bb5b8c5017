import { decodeUtf8 } from "../utf8.ts";

/** Whether a percent sign is not followed by two hexadecimal digits. */
export function hasBrokenEscape(text: string): boolean {
  return /%(?![0-9a-f]{2})/i.test(text);
}

/** Decodes a text without broken escapes; invalid UTF-8 becomes U+FFFD. */
export function unescapeUrl(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    const bytes = Uint8Array.from(escapes.slice(1).split("%"), (digits) => Number.parseInt(digits, 16));
    return (
      decodeUtf8(bytes) ?? Array.from(bytes, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : "\ufffd")).join("")
    );
  });
}

const inPath = "A-Za-z0-9\\-_.~$&+,/:;=@";
const escapedPath = new RegExp(`^[${inPath}!'()*[\\]%]*$`);
const outsidePath = new RegExp(`%[0-9A-Fa-f]{2}|[^${inPath}%]+`, "g");
const needsNoEscape = new RegExp(`[${inPath}]`);

/** A path without broken escapes: unchanged if it can be sent that way, or else re-escaped. */
export function escapePath(path: string): string {
  if (escapedPath.test(path)) return path;
  return path.replace(outsidePath, (found) => (found.startsWith("%") ? reescaped(found) : escaped(found)));
}

/** Removes unnecessary escapes. */
function reescaped(found: string): string {
  const character = String.fromCharCode(Number.parseInt(found.slice(1), 16));
  return needsNoEscape.test(character) ? character : found.toUpperCase();
}

function escaped(text: string): string {
  const wellFormed = text.replace(/\p{Surrogate}/gu, "\ufffd");
  return encodeURIComponent(wellFormed).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
