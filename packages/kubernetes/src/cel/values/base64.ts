const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const sixBits = new Map(Array.from(alphabet, (letter, index) => [letter, index]));

export function encodeBase64(bytes: Uint8Array): string {
  let text = "";
  for (let index = 0; index < bytes.length; index += 3) {
    const [second, third] = [bytes[index + 1], bytes[index + 2]];
    const bits = ((bytes[index] as number) << 16) | ((second ?? 0) << 8) | (third ?? 0);
    text += letter(bits >> 18) + letter(bits >> 12);
    text += second === undefined ? "==" : letter(bits >> 6) + (third === undefined ? "=" : letter(bits));
  }
  return text;
}

function letter(bits: number): string {
  return alphabet[bits & 0x3f] as string;
}

/** Padded or not; undefined if it is not base64. */
export function decodeBase64(text: string): Uint8Array | undefined {
  const body = text.replace(/={1,2}$/, "");
  if (body.length % 4 === 1 || (body !== text && text.length % 4 !== 0)) return undefined;
  const bytes = new Uint8Array(Math.floor((body.length * 3) / 4));
  let bits = 0;
  for (let index = 0; index < body.length; index += 1) {
    const value = sixBits.get(body[index] as string);
    if (value === undefined) return undefined;
    bits = ((bits << 6) | value) & 0xffffff;
    if (index % 4 > 0) bytes[Math.floor((index * 3) / 4)] = (bits >> (6 - 2 * (index % 4))) & 0xff;
  }
  return bytes;
}
