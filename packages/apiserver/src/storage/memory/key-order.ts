import type { ObjectKey } from "../object-key.ts";

/** Orders by UTF-8 bytes, unlike JavaScript's comparison for characters beyond U+FFFF. */
export function compareBytes(left: string, right: string): number {
  if (left === right) return 0;
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at += 1) {
    const one = left.charCodeAt(at);
    const two = right.charCodeAt(at);
    if (one !== two) return byteRank(one) - byteRank(two);
  }
  return left.length - right.length;
}

/** Within one resource: by plane, namespace and name. */
export function compareKeys(left: ObjectKey, right: ObjectKey): number {
  return (
    compareBytes(left.plane, right.plane) ||
    compareBytes(left.namespace, right.namespace) ||
    compareBytes(left.name, right.name)
  );
}

const ascii = /^[\0-\x7f]*$/;

/**
 * Whether JavaScript's comparison with this key equals the byte order: true if it has no surrogates and nothing above
 * them.
 */
export function hasNativeOrder({ plane, namespace, name }: ObjectKey): boolean {
  return ascii.test(name) && ascii.test(namespace) && ascii.test(plane);
}

/** A unique text for each key. `checkKey` keeps the separator out of the parts. */
export function keyText({ plane, resource, namespace, name }: ObjectKey): string {
  return `${plane}\0${resource}\0${namespace}\0${name}`;
}

// Lone surrogates would not survive the disk.
const unstorable = /[\0\p{Surrogate}]/u;
const keyLengthMax = 4_096;

/** Throws on a key that cannot be stored. Name validation is stricter, so such a key is a bug of the caller. */
export function checkKey(key: ObjectKey): void {
  const text = key.plane + key.resource + key.namespace + key.name;
  if (key.resource === "" || key.name === "") throw new TypeError("an object key requires a resource and a name");
  if (text.length > keyLengthMax) throw new TypeError(`an object key is longer than ${keyLengthMax} characters`);
  if (unstorable.test(text)) throw new TypeError(`an object key contains a character that cannot be stored: ${text}`);
}

/** Surrogates encode characters after U+FFFF, but their codes are before U+E000. */
function byteRank(code: number): number {
  if (code < 0xd800) return code;
  return code < 0xe000 ? code + 0x2000 : code - 0x800;
}
