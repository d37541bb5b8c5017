import type { ObjectKey } from "../object-key.ts";

/** Orders texts as their UTF-8 bytes do, which is not how JavaScript compares characters beyond U+FFFF. */
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

/** Whether JavaScript orders any key and this one as their bytes do: the first difference is a plain character then. */
export function isPlainlyOrdered({ plane, namespace, name }: ObjectKey): boolean {
  return ascii.test(name) && ascii.test(namespace) && ascii.test(plane);
}

/** One text for each key. `checkKey` keeps its separator out of the parts. */
export function keyText({ plane, resource, namespace, name }: ObjectKey): string {
  return `${plane}\0${resource}\0${namespace}\0${name}`;
}

// Halves of surrogate pairs would not come back from the disk as they went.
const unstorable = /[\0\p{Surrogate}]/u;
const keyLengthMax = 4_096;

/** Throws on a key that cannot be stored. Rules of names are stricter, so such a key is a mistake of the caller. */
export function checkKey(key: ObjectKey): void {
  const text = key.plane + key.resource + key.namespace + key.name;
  if (key.resource === "" || key.name === "") throw new TypeError("an object's key needs a resource and a name");
  if (text.length > keyLengthMax) throw new TypeError(`an object's key is longer than ${keyLengthMax} characters`);
  if (unstorable.test(text)) throw new TypeError(`an object's key holds a character that cannot be stored: ${text}`);
}

/** Surrogate halves stand for characters after U+FFFF, yet their codes lie before U+E000. */
function byteRank(code: number): number {
  if (code < 0xd800) return code;
  return code < 0xe000 ? code + 0x2000 : code - 0x800;
}
