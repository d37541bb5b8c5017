import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";

const alphabet = "abcdefghijklmnopqrstuvwxyz234567";
const bitsPerCharacter = 5;

/**
 * A short name for a list of texts, made of small letters and digits. They go in as JSON, in which no two lists look the
 * same; the hash is one nobody can steer, because tenants choose some of these texts.
 */
export function stableHash(parts: readonly string[], characters: number): string {
  const digest = sha256(utf8ToBytes(JSON.stringify(parts)));
  let text = "";
  let bits = 0;
  let held = 0;
  for (const byte of digest) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= bitsPerCharacter) {
      bits -= bitsPerCharacter;
      text += alphabet[(held >> bits) & 31];
      if (text.length === characters) return text;
    }
    held &= (1 << bits) - 1;
  }
  return text;
}
