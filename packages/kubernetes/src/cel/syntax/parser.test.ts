import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createEnvironment } from "../environment.ts";
import { Uint, type Value } from "../values/value.ts";
import type { Expression } from "./ast.ts";
import { parse } from "./parser.ts";

const { macros } = createEnvironment();

/** Formats an expression with explicit parentheses and expanded macros. */
function spell(node: Expression): string {
  switch (node.kind) {
    case "literal":
      return spellLiteral(node.value);
    case "identifier":
      return node.absolute ? `.${node.name}` : node.name;
    case "select":
      return `${spell(node.operand)}.${node.optional ? "?" : ""}${node.field}`;
    case "presence":
      return `has(${spell(node.operand)}.${node.field})`;
    case "call":
      return spellCall(node);
    case "logical":
      return `(${node.terms.map(spell).join(` ${node.operator} `)})`;
    case "list":
      return `[${node.elements.map(({ value, optional }) => mark(optional) + spell(value)).join(", ")}]`;
    case "map":
      return `{${node.entries.map(({ key, value, optional }) => `${mark(optional)}${spell(key)}: ${spell(value)}`).join(", ")}}`;
    case "message":
      return `${node.typeName}{${node.fields.map(({ name, value, optional }) => `${mark(optional)}${name}: ${spell(value)}`).join(", ")}}`;
    case "comprehension": {
      const filter = node.filter === undefined ? "" : `${spell(node.filter)}, `;
      return `${spell(node.range)}.<${node.form}>(${node.variables.join(", ")}, ${filter}${spell(node.body)})`;
    }
    case "binding":
      return `<bind>(${node.variable}, ${spell(node.value)}, ${spell(node.body)})`;
    case "optional-map":
      return `${spell(node.operand)}.<${node.flat ? "optFlatMap" : "optMap"}>(${node.variable}, ${spell(node.body)})`;
    case "invalid":
      return "<invalid>";
    default:
      return node satisfies never;
  }
}

function mark(optional: boolean): string {
  return optional ? "?" : "";
}

function spellCall({ name, target, args }: Expression & { kind: "call" }): string {
  const [first = "", second = "", third = ""] = args.map(spell);
  if (name === "_?_:_") return `(${first} ? ${second} : ${third})`;
  if (name === "_[_]") return `${first}[${second}]`;
  if (name === "_[?_]") return `${first}[?${second}]`;
  const operator = name === "@in" ? "in" : name.replaceAll("_", "");
  if (/^_.*_$|^@in$/.test(name)) return `(${first} ${operator} ${second})`;
  if (/^[!-]_$/.test(name)) return `(${operator}(${first}))`;
  return `${target === undefined ? "" : `${spell(target)}.`}${name}(${args.map(spell).join(", ")})`;
}

function spellLiteral(value: Value): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") return Number.isInteger(value) ? value.toFixed(1) : String(value);
  if (value instanceof Uint8Array)
    return `b"${Array.from(value, (byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("")}"`;
  return value instanceof Uint ? `${value.value}u` : String(value);
}

function spelled(source: string): string {
  const parsed = parse(source, { macros });
  return parsed.ok ? spell(parsed.expression) : (parsed.findings[0]?.message ?? "");
}

describe("operators", () => {
  const table: Record<string, string> = {
    "1 + 2 * 3": "(1 + (2 * 3))",
    "(1 + 2) * 3": "((1 + 2) * 3)",
    "1 - 2 - 3": "((1 - 2) - 3)",
    "8 / 4 / 2 % 3": "(((8 / 4) / 2) % 3)",
    "1 + 2 < 3 * 4": "((1 + 2) < (3 * 4))",
    "1 < 2 == true": "((1 < 2) == true)",
    "a in b == c": "((a in b) == c)",
    "a && b || c && d": "((a && b) || (c && d))",
    "a && (b || c) && d": "(a && (b || c) && d)",
    "a || b ? c : d ? e : f": "((a || b) ? c : (d ? e : f))",
    "!a.b": "(!(a.b))",
    "!!a": "a",
    "!!!a": "(!(a))",
    "-a.b": "(-(a.b))",
    "--a": "a",
    "-1": "-1",
    "- 1": "-1",
    "-1.5": "-1.5",
    "--1": "1",
    "---1": "(-(1))",
    "!-1": "(!(-1))",
    "1 - -1": "(1 - -1)",
    "1-1": "(1 - 1)",
    "a.b.c": "a.b.c",
    "a.b(c).d[e]": "a.b(c).d[e]",
    "a.?b[?c].d": "a.?b[?c].d",
    ".a.b": ".a.b",
    ".f(1)": ".f(1)",
    "1.size()": "1.size()",
    "[1, ?a, 2,]": "[1, ?a, 2]",
    "{'a': 1, ?'b': c,}": '{"a": 1, ?"b": c}',
    "{}.a": "{}.a",
    "a.B{c: 1, ?d: e}.f": "a.B{c: 1, ?d: e}.f",
    ".a.B{}": ".a.B{}",
    "a.for.in2": "a.for.in2",
    "a.for()": "a.for()",
    "x.`a-b c/d.e`": "x.a-b c/d.e",
    inside: "inside",
    nullable: "nullable",
    "a // b\n + c": "(a + c)",
    "\t\n\f\r a": "a",
  };
  it.each(Object.entries(table))("%j is %s", (source, text) => {
    expect(spelled(source)).toBe(text);
  });
});

describe("literals", () => {
  const table: Record<string, string> = {
    "0x1F": "31",
    "-0x10": "-16",
    "0xffu": "255u",
    "10U": "10u",
    "9223372036854775807": "9223372036854775807",
    "-9223372036854775808": "-9223372036854775808",
    "1.5e3": "1500.0",
    ".5": "0.5",
    "1e-2": "0.01",
    "'it''s'": "Syntax error: extraneous input ''s'' expecting <EOF>",
    '"a\\"b"': '"a\\"b"',
    "'\\a\\b\\f\\n\\r\\t\\v\\\\\\'\\\"\\`\\?'": JSON.stringify("\x07\b\f\n\r\t\v\\'\"`?"),
    "'\\x41\\101\\u00e9\\U0001F600'": '"AAé😀"',
    "'\\377'": '"ÿ"',
    "b'\\377\\xffA'": 'b"\\xff\\xff\\x41"',
    "b'é'": 'b"\\xc3\\xa9"',
    "r'\\n'": '"\\\\n"',
    'R"\'\\"': '"\'\\\\"',
    "br'\\x41'": 'b"\\x5c\\x78\\x34\\x31"',
    "'''a\n'b'''": '"a\\n\'b"',
    '"""a"b"""': '"a\\"b"',
    "'''a\r\nb\rc'''": '"a\\nb\\nc"',
    "r'''\\'''": '"\\\\"',
    "''": '""',
    "''''''": '""',
    true: "true",
    null: "null",
  };
  it.each(Object.entries(table))("%j is %s", (source, text) => {
    expect(spelled(source)).toBe(text);
  });
});

describe("macros", () => {
  const table: Record<string, string> = {
    "has(a.b.c)": "has(a.b.c)",
    "a.all(x, x > 0)": "a.<all>(x, (x > 0))",
    "a.exists_one(x, x)": "a.<exists-one>(x, x)",
    "a.map(x, x)": "a.<list>(x, x)",
    "a.map(x, p, x)": "a.<list>(x, p, x)",
    "a.filter(x, x)": "a.<filter>(x, x)",
    "a.all(k, v, k)": "a.<all>(k, v, k)",
    "a.transformMap(k, v, p, k)": "a.<map>(k, v, p, k)",
    "a.transformMapEntry(k, v, {})": "a.<map-entries>(k, v, {})",
    "cel.bind(x, 1, x)": "<bind>(x, 1, x)",
    "a.bind(x, 1, x)": "a.bind(x, 1, x)",
    "a.optMap(x, x)": "a.<optMap>(x, x)",
    "a.optFlatMap(x, x)": "a.<optFlatMap>(x, x)",
    "all(x, y)": "all(x, y)",
    "a.all(x)": "a.all(x)",
    "a.has(b.c)": "a.has(b.c)",
  };
  it.each(Object.entries(table))("%s is %s", (source, text) => {
    expect(spelled(source)).toBe(text);
  });

  it("are ordinary calls without a library that declares them", () => {
    const parsed = parse("a.all(x, x)", { macros: new Map() });
    expect(parsed.ok && spell(parsed.expression)).toBe("a.all(x, x)");
  });
});

describe("source positions", () => {
  const table: Record<string, number> = {
    "a + b": 2,
    "a.b": 1,
    "a[b]": 1,
    "f(a)": 1,
    "a.f(b)": 3,
    "  [a]": 2,
    "{a: b}": 0,
    "(a)": 1,
    "a ? b : c": 2,
    "a && b": 2,
    "-a": 0,
    "-1": 0,
    "T{a: b}": 1,
  };
  it.each(Object.entries(table))("of %j are at %i", (source, offset) => {
    const parsed = parse(source, { macros });
    expect(parsed.ok && parsed.expression.offset).toBe(offset);
  });
});

/** Random expressions as texts with explicit grouping. */
const expression: fc.Arbitrary<string> = fc.letrec<{ tree: string }>((tie) => {
  const tree = tie("tree");
  const name = fc.constantFrom("a", "b", "foo");
  return {
    tree: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      fc.constantFrom("a", ".b", "1", "2u", "1.5", '"x"', "true", "null", 'b"\\x01"'),
      fc
        .tuple(tree, fc.constantFrom("+", "-", "*", "/", "%", "<", "==", "in"), tree)
        .map(([l, o, r]) => `(${l} ${o} ${r})`),
      fc.tuple(tree, fc.constantFrom("&&", "||"), tree).map(([l, o, r]) => `(${l} ${o} ${r})`),
      fc.tuple(fc.constantFrom("!", "-"), tree).map(([o, e]) => `${o}(${e})`),
      fc.tuple(tree, tree, tree).map(([c, t, f]) => `(${c} ? ${t} : ${f})`),
      fc.tuple(tree, fc.constantFrom(".", ".?"), name).map(([e, d, f]) => `(${e})${d}${f}`),
      fc.tuple(tree, fc.constantFrom("[", "[?"), tree).map(([e, o, i]) => `(${e})${o}${i}]`),
      fc.tuple(name, fc.array(tree, { maxLength: 2 })).map(([f, args]) => `${f}(${args.join(", ")})`),
      fc.array(tree, { maxLength: 3 }).map((all) => `[${all.join(", ")}]`),
      fc
        .array(fc.tuple(tree, tree), { maxLength: 2 })
        .map((all) => `{${all.map(([k, v]) => `${k}: ${v}`).join(", ")}}`),
    ),
  };
}).tree;

describe("parsing", () => {
  it("round-trips a formatted expression", () => {
    fc.assert(
      fc.property(expression, (source) => {
        const once = spelled(source);
        expect(once).not.toContain("error");
        expect(spelled(once)).toBe(once);
      }),
      { numRuns: 500 },
    );
  });
});
