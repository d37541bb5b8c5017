import { boolType, listType, mapType, stringType, urlType } from "../cel-type.ts";
import { excerpt } from "../values/excerpt.ts";
import { Failure } from "../values/failure.ts";
import { parseUrl, type Url } from "../values/network/url.ts";
import { escapePath, hasBrokenEscape, unescapeUrl } from "../values/network/url-escapes.ts";
import { ListValue, type LookupKey, type MapEntry, MapValue } from "../values/value.ts";
import { callCost, rewriteCost, tenth, textCost } from "./costs.ts";
import { type FunctionDeclaration, free, type Library, method } from "./library.ts";

function urlFrom(text: string): Url | Failure {
  return (
    parseUrl(text) ?? new Failure("conversion", `URL parse error during conversion from string: "${excerpt(text)}"`)
  );
}

/** The values of each key, in order; malformed pairs are dropped. */
function queryOf({ query }: Url): MapValue {
  const values = new Map<string, string[]>();
  for (const pair of query.split("&")) {
    if (pair === "" || pair.includes(";") || hasBrokenEscape(pair)) continue;
    const [key = "", ...value] = pair.replaceAll("+", " ").split("=");
    const name = unescapeUrl(key);
    const existing = values.get(name) ?? [];
    existing.push(unescapeUrl(value.join("=")));
    values.set(name, existing);
  }
  const entries = Array.from(values, ([key, all]): [LookupKey, MapEntry] => [key, { key, value: new ListValue(all) }]);
  return new MapValue(new Map(entries));
}

function part(name: string, read: (url: Url) => string, summary: string, example: string): FunctionDeclaration {
  return { name, overloads: [method([urlType], stringType, read, callCost)], summary, example };
}

const functions: readonly FunctionDeclaration[] = [
  {
    name: "url",
    overloads: [free([stringType], urlType, urlFrom, textCost)],
    summary: "Parses an absolute URI or an absolute path.",
    example: 'url("https://example.com/a") == url("https://example.com/a")',
  },
  {
    name: "isURL",
    overloads: [free([stringType], boolType, (text) => parseUrl(text) !== undefined, textCost)],
    summary: "Whether a string is an absolute URI or an absolute path.",
    example: 'isURL("/absolute-path") && !isURL("../relative-path")',
  },
  part(
    "getScheme",
    ({ scheme }) => scheme,
    "What stands before the colon.",
    'url("HTTPS://a/").getScheme() == "https"',
  ),
  part("getHost", ({ host }) => host, "The host, with its port.", 'url("https://[::1]:80/").getHost() == "[::1]:80"'),
  part("getHostname", ({ hostname }) => hostname, "The host alone.", 'url("https://[::1]:80/").getHostname() == "::1"'),
  part("getPort", ({ port }) => port, "The port, empty if there is none.", 'url("https://a:80/").getPort() == "80"'),
  {
    name: "getEscapedPath",
    overloads: [
      method(
        [urlType],
        stringType,
        ({ path }) => escapePath(path),
        ({ path }) => 1 + rewriteCost(path),
      ),
    ],
    summary: "The escaped path.",
    example: 'url("https://a/with space").getEscapedPath() == "/with%20space"',
  },
  {
    name: "getQuery",
    overloads: [
      method([urlType], mapType(stringType, listType(stringType)), queryOf, ({ query }) => 1 + tenth(4 * query.length)),
    ],
    summary: "The values of each key of the query.",
    example: 'url("https://a/?k=b&k=c").getQuery() == {"k": ["b", "c"]}',
  },
];

export const urlsLibrary: Library = { name: "urls", functions, macros: [] };
