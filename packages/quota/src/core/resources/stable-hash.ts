import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";

const alphabet = "abcdefghijklmnopqrstuvwxyz234567";
const bitsPerCharacter = 5;
/** Room for nearly every text that is hashed: bytes of their own would be collected one by one. */
const room = new Uint8Array(4_096);
const asciiMax = 0x7f;

/**
 * A short name for a list of texts, made of small letters and digits. They go in as JSON, in which no two lists look the
 * same; the hash is one nobody can steer, because tenants choose some of these texts.
 */
export function stableHash(parts: readonly string[], characters: number): string {
  const digest = sha256(bytesOf(JSON.stringify(parts)));
  const codes: number[] = [];
  let bits = 0;
  let held = 0;
  for (let at = 0; codes.length < characters && at < digest.length; at += 1) {
    held = (held << 8) | (digest[at] as number);
    bits += 8;
    while (bits >= bitsPerCharacter && codes.length < characters) {
      bits -= bitsPerCharacter;
      codes.push(alphabet.charCodeAt((held >> bits) & 31));
    }
    held &= (1 << bits) - 1;
  }
  return String.fromCharCode(...codes);
}

/** Good until the next call. */
function bytesOf(text: string): Uint8Array {
  if (text.length > room.length) return utf8ToBytes(text);
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code > asciiMax) return utf8ToBytes(text);
    room[at] = code;
  }
  return room.subarray(0, text.length);
}
