// Expressions to be repeated as long as the cost limit allows, over about as much data as an API server accepts. Each
// does as much work for its cost as possible: a cost that is too low shows as seconds, or as an endless run.
import {
  bytesType,
  doubleType,
  durationType,
  listType,
  mapType,
  objectType,
  stringType,
  timestampType,
} from "../../src/cel/cel-type.ts";

function rowOf<T>(length: number, element: (index: number) => T): T[] {
  return Array.from({ length }, (_, index) => element(index));
}

function wide(size: number): Record<string, number> {
  return Object.fromEntries(rowOf(size, (index) => [`k${index}`, index]));
}

function nestedList(depth: number): unknown {
  return JSON.parse("[".repeat(depth) + "]".repeat(depth)) as unknown;
}

/** Twice wherever values are compared: equal, but not identical. */
export const nastyTrigger = {
  ints: rowOf(200_000, (index) => index),
  sameInts: rowOf(200_000, (index) => index),
  thousand: rowOf(1_000, (index) => index),
  doubles: rowOf(60_000, (index) => 1e-300 * (index + 1.1)),
  maps: rowOf(40_000, (index) => ({ name: `n${index}`, v: index })),
  sameMaps: rowOf(40_000, (index) => ({ name: `n${index}`, v: index })),
  texts: rowOf(100_000, (index) => `item-${index}`),
  sameTexts: rowOf(100_000, (index) => `item-${index}`),
  longTexts: rowOf(100, (index) => "x".repeat(15_000) + index),
  emptyLists: rowOf(400_000, () => []),
  emptyMaps: rowOf(400_000, () => ({})),
  text: "a".repeat(1_500_000),
  /** Matches a prefix nearly everywhere in `text`, but nowhere in full. */
  needle: `${"a".repeat(350_000)}b${"a".repeat(350_000)}`,
  needleEnd: `${"a".repeat(700_000)}b`,
  wideText: "é€".repeat(700_000),
  astral: "😀".repeat(700_000),
  alternating: "Aa".repeat(700_000),
  digits: "9".repeat(1_500_000),
  zeros: `${"0".repeat(1_499_999)}x`,
  blank: " ".repeat(1_500_000),
  percents: "%%".repeat(700_000),
  places: "%s".repeat(700_000),
  base64: "QUFB".repeat(370_000),
  map: wide(100_000),
  sameMap: wide(100_000),
  deep: nestedList(400),
  deeps: rowOf(1_500, () => nestedList(400)),
  tooDeep: nestedList(20_000),
  duration: "1s".repeat(64),
  quantity: "1e390",
  urlPath: `/${"é ".repeat(500_000)}`,
  urlQuery: `/?${"a&".repeat(700_000)}`,
  urlHost: `http://${"a:".repeat(700_000)}1/`,
  urlEscapes: `/?${"%41+".repeat(350_000)}`,
  version: `1.2.3-${"1.".repeat(120)}1`,
  domain: `${"a.".repeat(240)}!`,
  zones: rowOf(50_000, (index) => `Zone/Z${index}`),
  casedZones: rowOf(5_000, (index) =>
    `America/New_York`.replace(/[a-z]/gi, (letter, at: number) =>
      (index >> (at % 13)) & 1 ? letter.toUpperCase() : letter.toLowerCase(),
    ),
  ),
  tiny: 5e-324,
  huge: 1.7976931348623157e308,
  brokenPatterns: rowOf(360, (index) => `(${"a|b".repeat(1_300)}${index}`),
  largePatterns: rowOf(360, (index) => `${"a{1000}".repeat(500)}${index}`),
  patterns: rowOf(360, (index) => `${"a{1000}".repeat(12)}${index}`),
  foldedPatterns: rowOf(360, (index) => `(?i)${"[b-\\x{10fffe}]".repeat(100)}${index}`),
  propertyPatterns: rowOf(360, (index) => `[${"\\pL\\pN".repeat(500)}]${index}`),
};

/** Typed by a schema, so that values are converted on each access. */
export const nastySelf = {
  times: rowOf(50_000, () => "2020-01-01T00:00:00.123456Z"),
  durations: rowOf(10_000, () => "1s".repeat(64)),
  bytes: rowOf(100, () => "QUFB".repeat(3_700)),
  doubles: rowOf(200_000, (index) => index),
  doubleMap: wide(100_000),
  oneBytes: "QUFB".repeat(370_000),
};

export const nastySelfType = objectType("Nasty", {
  times: listType(timestampType),
  durations: listType(durationType),
  bytes: listType(bytesType),
  doubles: listType(doubleType),
  doubleMap: mapType(stringType, doubleType),
  oneBytes: bytesType,
});

/** `t` is the trigger; `i` and `j` count. */
export const nastyBodies: Readonly<Record<string, readonly string[]>> = {
  equality: [
    ...["t.map == t.sameMap", "t.map == [1]", "[1] == t.map", "t.map == {'a': 1}", "{'a': 1} == t.map"],
    ...["t.ints == t.sameInts", "[t.ints] == [t.sameInts]", "t.maps == t.sameMaps", "t.texts == t.sameTexts"],
    ...["t.emptyLists == t.emptyLists", "t.emptyMaps == t.emptyMaps", "t.deep == t.deep", "t.deeps == t.deeps"],
    ...["t.tooDeep == t.tooDeep", "t.text == t.text + ''", "bytes(t.text) == bytes(t.text)"],
    ...["optional.of(t.map) == optional.of(t.sameMap)", "optional.of(t.ints) == optional.of(t.sameInts)"],
  ],
  membership: [
    ...["t.map in [t.sameMap]", "t.ints in [t.sameInts]", "t.text in [t.needle]", "t.longTexts in [t.longTexts]"],
    ...[
      "t.deep in t.deeps",
      "t.map in t.maps",
      "t.maps.indexOf(t.map)",
      "t.ints.indexOf(-1)",
      "t.ints.lastIndexOf(-1)",
    ],
    ...["sets.contains(t.ints, [])", "sets.intersects(t.ints, [])", "sets.intersects([], t.ints)"],
    ...["sets.contains([t.map], [t.sameMap])", "sets.equivalent(t.thousand, t.thousand)", "t.text in t.map"],
    ...["t.map[t.ints]", "t.map[t.sameMap]", "t.map[?t.ints]", "t.map[t.deep]", "{t.text: 1, t.text: 2}"],
  ],
  order: [
    ...["'b' < t.wideText", "'b' < t.astral", "t.text < t.needle", "dyn(t.map) < dyn('a')", "t.texts.isSorted()"],
    ...["t.ints.min()", "t.ints.sum()", "t.longTexts.max()", "math.greatest(t.ints)"],
  ],
  macros: [
    ...["t.ints.filter(x, false)", "t.ints.exists_one(x, false)", "t.ints.map(x, false, x)", "t.ints.map(x, x)"],
    ...["t.map.filter(x, false)", "t.map.exists(k, true)", "t.map.exists(k, v, true)"],
    ...["t.map.transformMap(k, v, false, v)", "t.ints.transformList(i, v, false, v)"],
    ...["t.ints.transformMapEntry(i, v, false, {i: v})", "[1].transformMapEntry(i, v, t.map)"],
  ],
  sizes: [
    ...["size(t.map)", "size(t.wideText)", "size(t.astral)", "optional.ofNonZeroValue(t.map)"],
    ...["t.ints + t.sameInts", "[1] + t.ints", "'a' + dyn(t.map)"],
  ],
  texts: [
    ...["t.text.indexOf(t.needle)", "t.text.lastIndexOf(t.needleEnd)", "t.text.contains(t.needle)"],
    ...["t.text.split(t.needle)", "t.text.replace(t.needle, '')", "t.text.replace(t.needle, t.needle)"],
    ...["t.text.split('')", "t.wideText.split('')", "t.astral.split('')", "t.text.split('a')"],
    ...["t.text.replace('', 'b')", "t.text.replace('a', 'bbbbbbbbbb')", "t.wideText.replace('', '')"],
    ...["t.astral.charAt(699999)", "t.astral.substring(600000)", "t.astral.indexOf('a', 600000)"],
    ...["t.astral.lastIndexOf('b')", "t.alternating.lowerAscii()", "t.wideText.upperAscii()", "t.blank.trim()"],
    ...[
      "t.astral.reverse()",
      "strings.quote(t.astral)",
      "t.texts.join(',')",
      "t.ints.join()",
      "t.longTexts.join(t.text)",
    ],
  ],
  conversions: [
    ...["int(t.zeros)", "uint(t.zeros)", "double(t.digits)", "double(t.zeros)", "bool(t.text)", "string(t.huge)"],
    ...["bytes(t.wideText)", "string(bytes(t.astral))", "timestamp(t.text)", "duration(t.duration)"],
    ...["quantity(t.quantity)", "quantity(t.digits)", "quantity(t.quantity).asInteger()"],
    ...["base64.encode(bytes(t.text))", "base64.decode(t.base64)"],
  ],
  kubernetes: [
    ...["url(t.urlPath)", "url(t.urlPath).getEscapedPath()", "url(t.urlQuery).getQuery()", "url(t.urlHost).getPort()"],
    ...["url(t.urlEscapes).getQuery()", "url(t.urlPath) == url(t.urlPath)", "isURL(t.text)", "isURL(t.percents)"],
    ...["ip('1:2:3:4:5:6:7:8')", "string(ip('1:2:3:4:5:6:7:8'))", "isIP(t.text)", "cidr('::/0').containsIP('::1')"],
    ...[
      "semver(t.version)",
      "semver(t.version) == semver(t.version)",
      "isSemver(t.digits)",
      "isSemver(t.version, true)",
    ],
    ...["format.dns1123Subdomain().validate(t.domain)", "format.qualifiedName().validate(t.text)"],
    ...[
      "format.uri().validate(t.urlPath)",
      "format.byte().validate(t.base64)",
      "format.labelValue().validate(t.domain)",
    ],
  ],
  times: [
    ...["timestamp(j).getHours()", "timestamp(j).getHours('America/New_York')", "string(timestamp(j))"],
    ...["timestamp(j).getHours(t.zones[j % 50000])", "timestamp(j).getHours(t.casedZones[j % 5000])"],
    ...["timestamp(j).getHours('Europe/' + string(j))", "timestamp(j).getHours(t.text)"],
  ],
  formats: [
    ...["'%s'.format([t.ints])", "'%s'.format([t.map])", "'%s'.format([t.maps])", "'%s'.format([t.emptyLists])"],
    ...["'%s'.format([t.emptyMaps])", "'%s'.format([t.deeps])", "'%s'.format([t.doubles])", "'%s'.format([t.tooDeep])"],
    ...["'%e'.format([t.tiny])", "'%.100e'.format([t.tiny])", "'%.100f'.format([t.tiny])", "'%.100f'.format([t.huge])"],
    ...["'%d'.format([t.huge])", "'%X'.format([t.wideText])", "'%x'.format([bytes(t.text)])", "'a'.format(t.ints)"],
    ...["t.percents.format([])", "t.places.format(t.ints)", "t.places.format([t.text])"],
    ...["'%s'.format([quantity(t.quantity)])", "'%.100f%.100f%.100f%.100f'.format(t.doubles)"],
  ],
  patterns: [
    ...["t.text.matches('^(a+)+$')", "t.text.matches('(a?){50}a{50}b')", "t.wideText.matches('(?i)(é|x|[α-ω])+y')"],
    ...["t.text.findAll('a')", "t.text.findAll('')", "t.text.findAll('(.*b)|a')", "'a'.matches(t.text)"],
    ...["'a'.matches('a' + string(j))", "'a'.matches(t.brokenPatterns[j % 360])", "'a'.matches(t.patterns[j % 360])"],
    ...["'a'.matches(t.largePatterns[j % 360])", "'a'.matches(t.foldedPatterns[j % 360])"],
    ...["'a'.matches(t.propertyPatterns[j % 360])"],
  ],
  schemas: [
    ...["self.times[0]", "self.times.size()", "self.durations.size()", "self.bytes.size()", "self.doubles.size()"],
    ...["self.doubleMap['k1']", "self.oneBytes.size()", "self.?times.hasValue()", "self.doubles == self.doubles"],
  ],
};
