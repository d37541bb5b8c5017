// Expressions of at most 1024 characters that are expensive to parse, check or run.

/** Nests `prefix` and `suffix` around `inner` as often as the length limit allows. */
function nested(prefix: string, inner: string, suffix: string): string {
  const times = Math.floor((1024 - inner.length) / (prefix.length + suffix.length));
  return prefix.repeat(times) + inner + suffix.repeat(times);
}

function repeated(part: string, separator: string): string {
  return Array(Math.floor(1024 / (part.length + separator.length)))
    .fill(part)
    .join(separator);
}

/** Binds names a, b, c, …, each to a value built from the previous one. */
function bound(start: string, step: (name: string) => string, end: (name: string) => string): string {
  let text = `cel.bind(v0,${start},`;
  let count = 0;
  for (;;) {
    const next = `cel.bind(v${count + 1},${step(`v${count}`)},`;
    const rest = end(`v${count + 1}`).length + (count + 3);
    if (text.length + next.length + rest > 1024) break;
    text += next;
    count += 1;
  }
  return `${text}${end(`v${count}`)}${")".repeat(count + 1)}`;
}

export const nastyShapes: Readonly<Record<string, string>> = {
  "nothing but open parentheses": "(".repeat(1024),
  "balanced parentheses": nested("(", "1", ")"),
  "nothing but open brackets": "[".repeat(1024),
  "balanced brackets": nested("[", "1", "]"),
  "nested maps": nested("{1:", "1", "}"),
  "nested calls": nested("size(", "'a'", ")"),
  "nested conversions": nested("dyn(", "1", ")"),
  "nested indexes": nested("big.list[", "0", "]"),
  "many nots": `${"!".repeat(1020)}true`,
  "nots in parentheses": nested("!(", "true", ")"),
  "many minuses": `${"-".repeat(1023)}1`,
  "minuses in parentheses": nested("-(", "1", ")"),
  "a long chain of fields": `big${".a".repeat(510)}`,
  "a long chain of optional fields": `big${".?a".repeat(340)}`,
  "a long chain of indexes": `big${"[0]".repeat(340)}`,
  "a long chain of methods": `'a'${".trim()".repeat(140)}`,
  "a long sum": repeated("1", "+"),
  "a long product": repeated("9", "*"),
  "a long comparison": repeated("1", "<"),
  "a long chain of and": repeated("true", "&&"),
  "a long chain of or": repeated("false", "||"),
  "ors of ands": repeated("true&&false", "||"),
  "a long list": `[${repeated("1", ",").slice(0, 1021)}]`,
  "nested conditions": nested("true?1:", "1", ""),
  "conditions in the condition": nested("(", "true", "?true:true)"),
  "conditions in the middle": nested("true?", "1", ":1"),
  "nested macros": nested("[1].map(x,", "1", ")"),
  "nested quantifiers over many": nested("big.list.all(x,", "true", ")"),
  "nested quantifiers that never decide": nested("big.list.exists(x,", "false", ")"),
  "nested lists of many": nested("big.list.map(x,", "1", ")"),
  "nested filters of many": nested("big.list.filter(x,", "false", ")"),
  "nested transforms of maps": nested("big.wide.transformMap(k,v,", "1", ")"),
  "a text doubling itself": bound(
    "'aaaaaaaa'",
    (name) => `${name}+${name}`,
    (name) => `${name}.size()`,
  ),
  "bytes doubling themselves": bound(
    "b'aaaaaaaa'",
    (name) => `${name}+${name}`,
    (name) => `${name}.size()`,
  ),
  "a list doubling itself": bound(
    "[1]",
    (name) => `${name}+${name}`,
    (name) => `${name}.size()`,
  ),
  "a list of lists of lists": bound(
    "[1]",
    (name) => `[${name},${name}]`,
    (name) => `${name}==${name}`,
  ),
  "a map of maps of maps, by type": bound(
    "1",
    (name) => `{${name}:${name}}`,
    (name) => name,
  ),
  "optionals of optionals": bound(
    "optional.of(1)",
    (name) => `optional.of(${name})`,
    (name) => name,
  ),
  "lists of unknown lists": bound(
    "[]",
    (name) => `[[],${name}]`,
    (name) => name,
  ),
  "equal unknowns": bound(
    "[]",
    (name) => `{1:${name},2:[]}`,
    (name) => `${name}=={}`,
  ),
  "replacement by itself": bound(
    "'aaaa'",
    (name) => `${name}.replace('a',${name})`,
    (name) => `${name}.size()`,
  ),
  "replacement of nothing": bound(
    "'aaaa'",
    (name) => `${name}.replace('',${name})`,
    (name) => `${name}.size()`,
  ),
  "joining with itself": bound(
    "'aa'",
    (name) => `[${name},${name}].join(${name})`,
    (name) => `${name}.size()`,
  ),
  "splitting and joining": bound(
    "'aa'",
    (name) => `${name}.split('').join(${name})`,
    (name) => `${name}.size()`,
  ),
  "formatting itself": bound(
    "'aa'",
    (name) => `'%s%s'.format([${name},${name}])`,
    (name) => `${name}.size()`,
  ),
  "a fraction without end": "'%.999999999f'.format([1.0])",
  "a hundred digits, many times": `'${"%.99f".repeat(150)}'.format([${repeated("1.0", ",").slice(0, 239)}])`,
  "a quantity with a huge exponent": "quantity('1e999999999').asApproximateFloat()",
  "a quantity with a tiny exponent": "quantity('1e-999999999').asApproximateFloat()",
  "an integer of a thousand digits": "9".repeat(1024),
  "a text of digits as an int": `int('${"9".repeat(1000)}')`,
  "a text of zeros as an int": `int('${"0".repeat(1000)}1x')`,
  "digits from data as an int": "int(big.digits)",
  "digits from data as a double": "double(big.digits)",
  "digits from data as a quantity": "quantity(big.digits)",
  "digits from data as a duration": "duration(big.digits + 's')",
  "digits from data, many times": "big.list.map(x, isQuantity(big.digits))",
  "counting characters, many times": "big.list.map(x, size(big.text))",
  "comparing texts, many times": "big.list.map(x, big.text < big.text)",
  "comparing objects, many times": "big.list.map(x, [big.wide] == [big.wide])",
  "counting keys, many times": "big.list.map(x, size(big.wide))",
  "one key of many, many times": "big.list.map(x, big.wide.exists(k, true))",
  "keys of lists, many times": "big.list.all(x, !sets.intersects(big.list, [x + 100000]))",
  "elements of lists, many times": "big.list.all(x, !(x + 100000 in big.list))",
  "smallest of many, many times": "big.list.all(x, big.list.min() < x + 1)",
  "zones, many times": "big.list.all(x, timestamp(x).getHours('America/New_York') < 24)",
  "zones from data, many times": "big.list.all(x, timestamp(x).getHours('Etc/GMT+' + string(x % 12)) < 24)",
  "values nested as deep as they come": "big.deep == big.deep",
  "values nested deep, as text": "'%s'.format([big.deep]).size()",
  "a pattern that backtracks elsewhere": "(big.text + '!').matches('^(a+)+$')",
  "a pattern of repetitions": "'a'.matches('(a{1000}){1000}')",
  "a pattern as large as allowed": `big.text.matches('${"(a{100}){9}".repeat(9)}b')`,
  "a pattern beyond that": `big.text.matches('${"(a{100}){9}".repeat(20)}b')`,
  "a pattern of nested groups": `'a'.matches('${"(".repeat(450)}a${")".repeat(450)}')`,
  "a pattern of alternatives": `big.text.matches('${repeated("a*", "|").slice(0, 900)}')`,
  "patterns made as it runs": "big.list.all(x, big.text.matches('(a{' + string(x % 99) + '}){9}b') || true)",
  "small patterns made as it runs": "big.list.all(x, 'a'.matches('(a{90}){90}' + string(x)) || true)",
  "all matches of a pattern that looks ahead": "big.text.findAll('(.*b)|a').size()",
  "all empty matches": "big.text.findAll('').size()",
  "a text in a text": "big.text.contains(big.text + 'b')",
  "the last of many": "big.text.lastIndexOf('b' + big.text)",
  "astral characters by index": "big.astral.charAt(1) + big.astral.substring(1) + big.astral.reverse()",
  "astral characters by index, many times": "big.list.map(x, big.astral.charAt(x))",
  "white space to trim": "big.list.map(x, big.blank.trim())",
  "reserved words": repeated("for", "."),
  "half a surrogate pair": "'\ud83d' + '\\ud83d'",
  "control characters": "\u0000\u0001\u0002",
};

export const nastyData = {
  big: {
    list: Array.from({ length: 10_000 }, (_, index) => index),
    text: "a".repeat(100_000),
    digits: "9".repeat(100_000),
    astral: "😀".repeat(50_000),
    blank: `${" ".repeat(50_000)}a${" ".repeat(50_000)}`,
    wide: Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`key-${index}`, index])),
    deep: JSON.parse("[".repeat(20_000) + "]".repeat(20_000)) as unknown,
  },
};
