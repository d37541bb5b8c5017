/** Whether a text is base64, with its padding. Line breaks do not matter. */
export function isBase64(text: string): boolean {
  return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text.replace(/[\r\n]/g, ""));
}

/** How many bytes well-formed base64 text stands for. */
export function base64Bytes(text: string): number {
  const characters = text.replace(/[\r\n=]/g, "").length;
  return Math.floor((characters * 3) / 4);
}
