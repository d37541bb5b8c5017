/** Whether a text is padded base64. Line breaks are ignored. */
export function isBase64(text: string): boolean {
  return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text.replace(/[\r\n]/g, ""));
}

/** Decoded size of valid base64. */
export function base64Bytes(text: string): number {
  const characters = text.replace(/[\r\n=]/g, "").length;
  return Math.floor((characters * 3) / 4);
}
