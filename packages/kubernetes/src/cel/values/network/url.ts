import { Opaque } from "../opaque.ts";
import { urlName } from "../type-name.ts";
import { isIpv6 } from "./ip-address.ts";
import { escapePath, hasBrokenEscape, unescapeUrl } from "./url-escapes.ts";

interface Parts {
  readonly scheme: string;
  readonly userInfo: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

/** An absolute URI, or an absolute path, as parsed by Go. */
export class Url extends Opaque {
  readonly #parts: Parts;
  readonly #hostname: string;
  readonly #port: string;
  readonly #fragment: string;

  constructor(parts: Parts, fragment: string) {
    super();
    this.#parts = parts;
    this.#fragment = fragment;
    const { host } = parts;
    const [, hostname = host, port = ""] = /^(.*):(\d*)$/s.exec(host) ?? [];
    this.#hostname = hostname.replace(/^\[(.*)\]$/s, "$1");
    this.#port = port;
  }

  get scheme(): string {
    return this.#parts.scheme;
  }

  /** With the port, if there is one. */
  get host(): string {
    return this.#parts.host;
  }

  /** Of an IPv6 address without its brackets. */
  get hostname(): string {
    return this.#hostname;
  }

  get port(): string {
    return this.#port;
  }

  get path(): string {
    return this.#parts.path;
  }

  get query(): string {
    return this.#parts.query;
  }

  override get typeName(): string {
    return urlName;
  }

  override get size(): number {
    const { userInfo, host, path, query } = this.#parts;
    return userInfo.length + host.length + path.length + query.length + this.#fragment.length;
  }

  override equals(other: Url): boolean {
    return this.toString() === other.toString();
  }

  override toString(): string {
    const { scheme, userInfo, host, path, query } = this.#parts;
    const start = scheme === "" ? "" : `${scheme}:`;
    const authority = host === "" && userInfo === "" ? "" : `//${userInfo}${host}`;
    const end = (query === "" ? "" : `?${query}`) + (this.#fragment === "" ? "" : `#${this.#fragment}`);
    return `${start}${authority}${escapePath(path)}${end}`;
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that are refused.
const control = /[\x00-\x1f\x7f]/;

/** Undefined for an invalid or relative URL. */
export function parseUrl(text: string): Url | undefined {
  // A fragment is not part of a request URI, but must be valid too.
  if (text === "" || control.test(text) || partsOf(text, true) === undefined) return undefined;
  const hash = text.indexOf("#");
  const parts = partsOf(hash < 0 ? text : text.slice(0, hash), false);
  const fragment = hash < 0 ? "" : text.slice(hash + 1);
  return parts === undefined || hasBrokenEscape(fragment) ? undefined : new Url(parts, fragment);
}

function partsOf(text: string, asRequest: boolean): Parts | undefined {
  const [, given = "", rest = ""] = /^([A-Za-z][A-Za-z0-9+.-]*(?=:))?(.*)$/s.exec(text) ?? [];
  const scheme = given.toLowerCase();
  const afterScheme = scheme === "" ? rest : rest.slice(1);
  const mark = afterScheme.indexOf("?");
  const beforeQuery = mark < 0 ? afterScheme : afterScheme.slice(0, mark);
  const query = mark < 0 ? "" : afterScheme.slice(mark + 1);
  const none: Parts = { scheme, userInfo: "", host: "", path: "", query };
  if (text === "*") return { ...none, path: "*" };
  if (!beforeQuery.startsWith("/")) return scheme === "" ? undefined : none;
  const named = beforeQuery.startsWith("//") && (scheme !== "" || (!asRequest && !beforeQuery.startsWith("///")));
  return named ? withAuthority(none, beforeQuery.slice(2)) : withPath(none, beforeQuery);
}

function withPath(parts: Parts, path: string): Parts | undefined {
  return hasBrokenEscape(path) ? undefined : { ...parts, path };
}

function withAuthority(parts: Parts, rest: string): Parts | undefined {
  const slash = rest.indexOf("/");
  const authority = slash < 0 ? rest : rest.slice(0, slash);
  const at = authority.lastIndexOf("@") + 1;
  const userInfo = authority.slice(0, at);
  const host = hostOf(authority.slice(at));
  const valid = /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(userInfo) && !hasBrokenEscape(userInfo);
  if (host === undefined || !valid) return undefined;
  return withPath({ ...parts, userInfo, host }, slash < 0 ? "" : rest.slice(slash));
}

const optionalPort = /^(?::\d*)?$/;

function hostOf(text: string): string | undefined {
  if (text.lastIndexOf("[") > 0) return undefined;
  if (text.startsWith("[")) return literalHost(text);
  const colon = text.lastIndexOf(":");
  return colon >= 0 && !optionalPort.test(text.slice(colon)) ? undefined : unescapedHost(text);
}

/** An IPv6 address in brackets, perhaps with a zone. */
function literalHost(text: string): string | undefined {
  const end = text.lastIndexOf("]");
  const address = end < 0 ? undefined : unescapedHost(text.slice(1, end));
  if (address === undefined || !optionalPort.test(text.slice(end + 1))) return undefined;
  return isIpv6(address.replace(/%.+$/s, "")) ? `[${address}]${text.slice(end + 1)}` : undefined;
}

/** Only non-ASCII characters may be escaped in a host, and the percent sign of a zone. */
function unescapedHost(text: string): string | undefined {
  if (/[ #/?@\\^`{|}]/.test(text) || /%(?!25|[89a-f][0-9a-f])/i.test(text)) return undefined;
  return unescapeUrl(text);
}
