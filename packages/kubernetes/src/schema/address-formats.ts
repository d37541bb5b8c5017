/** Leading zeros are ignored, as in Kubernetes. An IPv6 address may end in an IPv4 address. */
export function isIpv4(text: string): boolean {
  return text.includes(".") && (isDotted(text) || isColoned(text, isDotted));
}

export function isIpv6(text: string): boolean {
  return text.includes(":") && isColoned(text, isStrictlyDotted);
}

export function isCidr(text: string): boolean {
  const slash = text.indexOf("/");
  const address = text.slice(0, slash);
  const bits = text.slice(slash + 1);
  if (slash < 0 || !/^\d+$/.test(bits)) return false;
  if (isDotted(address)) return Number(bits) <= 32;
  return isColoned(address, isDotted) && Number(bits) <= 128;
}

/** Six, eight or twenty bytes: in pairs with colons or dashes, or in fours with dots. */
export function isMac(text: string): boolean {
  const pairs = /^[0-9a-fA-F]{2}([:-])[0-9a-fA-F]{2}(\1[0-9a-fA-F]{2})*$/.test(text);
  const fours = /^[0-9a-fA-F]{4}(\.[0-9a-fA-F]{4})+$/.test(text);
  if (!pairs && !fours) return false;
  return [12, 16, 40].includes(text.replace(/[:.-]/g, "").length);
}

function isDotted(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^0*\d{1,3}$/.test(part) && Number(part) <= 255);
}

function isStrictlyDotted(text: string): boolean {
  return isDotted(text) && text.split(".").every((part) => part === "0" || !part.startsWith("0"));
}

function isColoned(text: string, isTail: (text: string) => boolean): boolean {
  const halves = text.split("::");
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
  const last = groups.at(-1) ?? "";
  const hasTail = last.includes(".") && isTail(last) && text.endsWith(last);
  const plain = hasTail ? groups.slice(0, -1) : groups;
  if (!text.includes(":") || !plain.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return false;
  const length = plain.length + (hasTail ? 2 : 0);
  return halves.length === 2 ? length < 8 : length === 8;
}
