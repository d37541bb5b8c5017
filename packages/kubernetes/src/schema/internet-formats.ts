import { utf8Length } from "../protocol/utf8-length.ts";
import { isIpv4, isIpv6 } from "./address-formats.ts";

const letter = "a-zA-Z0-9\\p{S}\\p{L}";
const hostname = new RegExp(
  `^([${letter}]((-?[${letter}]{0,62})?)|([${letter}](([${letter}\\-]{0,61}[${letter}])?)(\\.))+([a-zA-Z\\p{L}]){2,63})$`,
  "u",
);

/** Letters of any script; the last of several labels has letters only. */
export function isHostname(text: string): boolean {
  if (text.length > 255 || !hostname.test(text) || utf8Length(text) > 255) return false;
  return text.split(".").every((label) => utf8Length(label) <= 63);
}

const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\u0080-\\u{10ffff}-]+";
const quoted = '"(?:[^"\\\\\\r\\n\\u0000-\\u0008\\u000b-\\u001f\\u007f]|\\\\[\\u0020-\\u007e\\u0080-\\u{10ffff}\\t])*"';
const local = `(?:${atom}(?:\\.${atom})*|${quoted})`;
const domain = `(?:${atom}(?:\\.${atom})*|\\[([^\\[\\]\\\\\\s]*)\\])`;
const address = new RegExp(`^[ \\t]*${local}@[ \\t]*${domain}[ \\t]*$`, "u");
const named = new RegExp(`^[ \\t]*(?:(?:${atom}|${quoted}|\\.)[ \\t]*)*<([^<>]*)>[ \\t]*$`, "u");
const emailLengthMax = 2_000;

/** An address, optionally with a display name: `Ann <ann@example.com>`. */
export function isEmail(text: string): boolean {
  if (text.length > emailLengthMax) return false;
  const inner = text.endsWith(">") ? named.exec(text)?.[1] : text;
  const match = inner === undefined ? null : address.exec(inner);
  if (match === null) return false;
  const [, host] = match;
  return host === undefined || isIpv4(host) || isIpv6(host);
}

/** As in the first line of an HTTP request: an absolute path, or a URI. */
export function isRequestUri(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  if (text === "" || /[\u0000-\u001f\u007f]/.test(text)) return false;
  if (text === "*") return true;
  const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*:/.exec(text)?.[0] ?? "";
  const [rest = ""] = text.slice(scheme.length).split("?");
  if (!rest.startsWith("/")) return scheme !== "";
  if (scheme === "" || !rest.startsWith("//")) return isEscapedWell(rest);
  const [authority = "", ...path] = rest.slice(2).split("/");
  return isAuthority(authority) && isEscapedWell(path.join("/"));
}

function isEscapedWell(text: string): boolean {
  return !/%(?![0-9a-fA-F]{2})/.test(text);
}

function isAuthority(text: string): boolean {
  const at = text.lastIndexOf("@");
  const user = text.slice(0, Math.max(at, 0));
  const host = text.slice(at + 1);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user) || !isEscapedWell(user)) return false;
  const bracketed = /^\[[^\]]*\](.*)$/s.exec(host);
  if (host.startsWith("[") && bracketed === null) return false;
  if (bracketed !== null) return /^(:\d*)?$/.test(bracketed[1] as string);
  const port = host.includes(":") ? host.slice(host.lastIndexOf(":")) : "";
  if (!/^(:\d*)?$/.test(port)) return false;
  return /^[^\s\\^`{|}#/?%]*$/.test(host.replace(/%[89a-fA-F][0-9a-fA-F]/g, ""));
}
