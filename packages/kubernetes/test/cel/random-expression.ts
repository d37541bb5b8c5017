// Random well-typed expressions from a seed: the same seed always gives the same expression.

export type Kind =
  | "int"
  | "uint"
  | "double"
  | "bool"
  | "string"
  | "bytes"
  | "timestamp"
  | "duration"
  | "ints"
  | "strings"
  | "map";

/** Variables of every kind, bound in the test to JSON and to values of the language. */
const variables: Readonly<Record<Kind, readonly string[]>> = {
  int: ["i", "json.n", "json.items[1]", 'json["deep"].n'],
  uint: ["u"],
  double: ["d", "json.ratio"],
  bool: ["b", "json.on"],
  string: ["s", "json.name", "json.names[0]", 'json.labels["app"]'],
  bytes: ["raw"],
  timestamp: ["t"],
  duration: ["span"],
  ints: ["l", "json.items"],
  strings: ["names", "json.names"],
  map: ["m", "json.counts"],
};

const literals: Readonly<Record<Exclude<Kind, "ints" | "strings" | "map">, readonly string[]>> = {
  int: ["0", "1", "2", "-1", "3", "7", "100", "-13", "4294967296", "9223372036854775807", "-9223372036854775808"],
  uint: ["0u", "1u", "2u", "7u", "18446744073709551615u"],
  double: ["0.0", "1.0", "-1.5", "2.25", "1e10", "0.1", "-0.0", "1e300", "9007199254740993.0"],
  bool: ["true", "false"],
  string: ["''", "'a'", "'abc'", "'Abc Déf'", "'😀b😀'", "'\\uffff'", "'12'", "'-3'", "'1.5'", "' x '", "'a,b,c'"],
  bytes: ["b''", "b'abc'", "b'\\xff\\x00'", "b'é'"],
  timestamp: ["timestamp('2009-02-13T23:31:30.123456789Z')", "timestamp('1969-12-31T23:59:59Z')", "timestamp(0)"],
  duration: ["duration('1h30m')", "duration('-1.5s')", "duration('0')", "duration('1ns')", "duration('87600h')"],
};

const patterns = ["'^a'", "'b+'", "'[0-9]+'", "''", "'a|b'", "'.$'"];

export class RandomExpression {
  #state: number;
  /** Macro variables in scope, by kind. */
  #locals: { readonly name: string; readonly kind: Kind }[] = [];

  constructor(seed: number) {
    this.#state = seed >>> 0 || 1;
  }

  /** An expression of a random kind with a depth limit. */
  any(depth: number): string {
    return this.of(this.#pick(Object.keys(variables) as Kind[]), depth);
  }

  of(kind: Kind, depth: number): string {
    if (depth <= 0 || this.#chance(0.1)) return this.#leaf(kind);
    return this.#pick(this.#productions(kind, depth - 1))();
  }

  #leaf(kind: Kind): string {
    const locals = this.#locals.filter((local) => local.kind === kind).map((local) => local.name);
    if (locals.length > 0 && this.#chance(0.6)) return this.#pick(locals);
    if (this.#chance(0.4)) return this.#pick(variables[kind]);
    switch (kind) {
      case "ints":
        return this.#pick(["[]", "[1]", "[1, 2, 3]", "[-1, 9223372036854775807]"]);
      case "strings":
        return this.#pick(["['a']", "['x', 'y', 'é😀']", "['b', 'a', '']"]);
      case "map":
        return this.#pick(["{'a': 1}", "{'x': 1, 'y': 2}", "{'é': -1, '': 0}"]);
      default:
        return this.#pick(literals[kind]);
    }
  }

  #productions(kind: Kind, depth: number): (() => string)[] {
    const of = (inner: Kind) => this.of(inner, depth);
    const choice = () => `(${of("bool")} ? ${of(kind)} : ${of(kind)})`;
    const operator = (all: readonly string[]) => () => `(${of(kind)} ${this.#pick(all)} ${of(kind)})`;
    switch (kind) {
      case "int":
        return [choice, operator(["+", "-", "*", "/", "%"]), operator(["+", "-"]), ...this.#ints(depth)];
      case "uint":
        return [
          choice,
          operator(["+", "-", "*", "/", "%"]),
          () => `uint(${this.#convertible(["int", "double"], depth)})`,
        ];
      case "double":
        return [
          choice,
          operator(["+", "-", "*", "/"]),
          () => `-(${of(kind)})`,
          () => `double(${this.#convertible(["int", "uint"], depth)})`,
        ];
      case "bool":
        return [choice, ...this.#bools(depth)];
      case "string":
        return [choice, operator(["+"]), ...this.#strings(depth)];
      case "bytes":
        return [choice, operator(["+"]), () => `bytes(${of("string")})`];
      case "timestamp":
        return [choice, () => `(${of("timestamp")} ${this.#pick(["+", "-"])} ${of("duration")})`];
      case "duration":
        return [choice, operator(["+", "-"]), () => `(${of("timestamp")} - ${of("timestamp")})`];
      default:
        return [choice, ...this.#collections(kind, depth)];
    }
  }

  #ints(depth: number): (() => string)[] {
    const of = (inner: Kind) => this.of(inner, depth);
    const part = ["getFullYear", "getMonth", "getDate", "getDayOfWeek", "getDayOfYear", "getHours", "getMilliseconds"];
    const zone = ["", "'UTC'", "'-02:30'", "'America/St_Johns'", "'+11:00'"];
    return [
      () => `-(${of("int")})`,
      () => `size(${of(this.#pick(["string", "bytes", "ints", "strings", "map"]))})`,
      () => `int(${this.#convertible(["uint", "double", "timestamp"], depth)})`,
      () => `${of("ints")}[${this.#index(depth)}]`,
      () => `${of("map")}[${this.#chance(0.7) ? this.#pick(["'a'", "'x'"]) : of("string")}]`,
      () => `${of("timestamp")}.${this.#pick(part)}(${this.#pick(zone)})`,
      () => `${of("duration")}.${this.#pick(["getHours", "getMinutes", "getSeconds"])}()`,
      () => `${of("string")}.${this.#pick(["indexOf", "lastIndexOf"])}(${of("string")})`,
    ];
  }

  /** Mostly an existing key. */
  #index(depth: number): string {
    return this.#chance(0.8) ? this.#pick(["0", "0", "1"]) : this.of("int", depth);
  }

  /** The source of a number conversion: another number, or mostly valid text. */
  #convertible(numbers: readonly Kind[], depth: number): string {
    if (this.#chance(0.7)) return this.of(this.#pick(numbers), depth);
    return this.#chance(0.8) ? this.#pick(["'12'", "'0'", "'007'", "'-3'", "'1.5'"]) : this.of("string", depth);
  }

  #bools(depth: number): (() => string)[] {
    const of = (inner: Kind) => this.of(inner, depth);
    const pair = (kinds: readonly Kind[], all: readonly string[]) => () => {
      const kind = this.#pick(kinds);
      return `(${of(kind)} ${this.#pick(all)} ${of(kind)})`;
    };
    const ordered: Kind[] = ["int", "uint", "double", "string", "bytes", "bool", "timestamp", "duration"];
    const numeric: Kind[] = ["int", "uint", "double"];
    return [
      pair(ordered, ["<", "<=", ">", ">="]),
      pair([...ordered, "ints", "strings", "map"], ["==", "!="]),
      () => `(dyn(${of(this.#pick(numeric))}) ${this.#pick(["==", "!=", "<", ">="])} dyn(${of(this.#pick(numeric))}))`,
      () => `(${of("bool")} ${this.#pick(["&&", "||"])} ${of("bool")})`,
      () => `!(${of("bool")})`,
      () => `(${of("int")} in ${of("ints")})`,
      () => `(${of("string")} in ${of(this.#pick(["strings", "map"]))})`,
      () => `${of("string")}.${this.#pick(["startsWith", "endsWith", "contains"])}(${of("string")})`,
      () => `${of("string")}.matches(${this.#pick(patterns)})`,
      () => `has(json.${this.#pick(["n", "name", "missing", "labels.app", "labels.none", "deep.n"])})`,
      () =>
        this.#macro(this.#pick(["all", "exists", "exists_one"]), this.#pick(["ints", "strings", "map"]), "bool", depth),
      () => `bool(${this.#chance(0.8) ? `string(${of("bool")})` : of("string")})`,
    ];
  }

  #strings(depth: number): (() => string)[] {
    const of = (inner: Kind) => this.of(inner, depth);
    return [
      () => `string(${of(this.#pick(["int", "uint", "bool", "timestamp", "duration", "bytes"]))})`,
      () => `${of("string")}.${this.#pick(["lowerAscii", "upperAscii", "trim"])}()`,
      () => `${of("string")}.charAt(${this.#index(depth)})`,
      () => `${of("string")}.substring(${this.#index(depth)})`,
      () => `${of("string")}.substring(0, ${this.#index(depth)})`,
      () => `${of("string")}.replace(${this.#pick(["'a'", "'l'", "'bc'", "'é'"])}, ${of("string")})`,
      () => `${of("strings")}.join(${this.#pick(["", of("string")])})`,
      () => `${of("strings")}[${this.#index(depth)}]`,
    ];
  }

  #collections(kind: Kind, depth: number): (() => string)[] {
    const element: Kind = kind === "ints" ? "int" : "string";
    const items = () => Array.from({ length: this.#below(4) }, () => this.of(element, depth));
    if (kind === "map") {
      return [
        () =>
          `{${items()
            .map((key) => `${key}: ${this.of("int", depth)}`)
            .join(", ")}}`,
      ];
    }
    const made: (() => string)[] = [
      () => `[${items().join(", ")}]`,
      () => `(${this.of(kind, depth)} + ${this.of(kind, depth)})`,
      () => this.#macro("filter", kind, "bool", depth),
      () => this.#macro("map", this.#pick(["ints", "strings"]), element, depth),
    ];
    return kind === "strings"
      ? [...made, () => `${this.of("string", depth)}.split(${this.#pick(["','", "''", "'a'"])})`]
      : made;
  }

  #macro(name: string, range: Kind, body: Kind, depth: number): string {
    const over = this.of(range, depth);
    const variable = this.#pick(["x", "y", "z"]);
    const outer = this.#locals;
    // A name shadows earlier ones, also of another kind.
    const visible = outer.filter((local) => local.name !== variable);
    this.#locals = [...visible, { name: variable, kind: range === "ints" ? "int" : "string" }];
    const text = `${over}.${name}(${variable}, ${this.of(body, depth)})`;
    this.#locals = outer;
    return text;
  }

  #pick<T>(all: readonly T[]): T {
    return all[this.#below(all.length)] as T;
  }

  #chance(probability: number): boolean {
    return this.#below(1000) < probability * 1000;
  }

  #below(bound: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  }
}
