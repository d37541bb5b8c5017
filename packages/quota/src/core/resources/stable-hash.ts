import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";

const alphabet = "abcdefghijklmnopqrstuvwxyz234567";
const bitsPerCharacter = 5;
/** Reused for nearly every text, to avoid garbage. */
const buffer = new Uint8Array(4_096);
const asciiMax = 0x7f;

/**
 * A hash of a list of strings, in lower-case letters and digits. The strings are hashed as JSON, which is unambiguous. The hash
 * is cryptographic, because tenants choose some of the strings and must not be able to cause collisions.
 */
export function stableHash(parts: readonly string[], characters: number): string {
  const digest = sha256(bytesOf(JSON.stringify(parts)));
  const codes: number[] = [];
  let bits = 0;
  let pending = 0;
  for (let at = 0; codes.length < characters && at < digest.length; at += 1) {
    pending = (pending << 8) | (digest[at] as number);
    bits += 8;
    while (bits >= bitsPerCharacter && codes.length < characters) {
      bits -= bitsPerCharacter;
      codes.push(alphabet.charCodeAt((pending >> bits) & 31));
    }
    pending &= (1 << bits) - 1;
  }
  return String.fromCharCode(...codes);
}

/** The result is valid until the next call. */
function bytesOf(text: string): Uint8Array {
  if (text.length > buffer.length) return utf8ToBytes(text);
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code > asciiMax) return utf8ToBytes(text);
    buffer[at] = code;
  }
  return buffer.subarray(0, text.length);
}
