import type { Value } from "../values/value.ts";

interface Node {
  /** The position of the node in messages: an operator, a bracket, the start of a name. UTF-16 units. */
  readonly offset: number;
  /** Depth of the expression; bounded, so that recursion cannot exhaust the stack. */
  readonly depth: number;
}

export type Expression =
  | Literal
  | Identifier
  | Select
  | Presence
  | Call
  | Logical
  | ListLiteral
  | MapLiteral
  | MessageLiteral
  | Comprehension
  | Binding
  | OptionalMap
  | Invalid;

export interface Literal extends Node {
  readonly kind: "literal";
  readonly value: Value;
}

export interface Identifier extends Node {
  readonly kind: "identifier";
  readonly name: string;
  /** Written with a leading dot: never a macro variable. */
  readonly absolute: boolean;
}

/** `operand.field`, or `operand.?field`. */
export interface Select extends Node {
  readonly kind: "select";
  readonly operand: Expression;
  readonly field: string;
  readonly optional: boolean;
}

/** `has(operand.field)`. */
export interface Presence extends Node {
  readonly kind: "presence";
  readonly operand: Expression;
  readonly field: string;
}

/** A function, a method, or an operator under its function name: `_+_`, `@in`, `_[_]`, `_?_:_`. */
export interface Call extends Node {
  readonly kind: "call";
  readonly name: string;
  readonly target: Expression | undefined;
  readonly args: readonly Expression[];
}

/** A whole chain of `&&` or of `||`, flat, so that a long chain is no deeper than a short one. */
export interface Logical extends Node {
  readonly kind: "logical";
  readonly operator: "&&" | "||";
  readonly terms: readonly Expression[];
}

export interface ListLiteral extends Node {
  readonly kind: "list";
  readonly elements: readonly { readonly value: Expression; readonly optional: boolean }[];
}

export interface MapLiteral extends Node {
  readonly kind: "map";
  readonly entries: readonly MapLiteralEntry[];
}

export interface MapLiteralEntry {
  readonly key: Expression;
  readonly value: Expression;
  readonly optional: boolean;
}

/** `Name{field: value}`. */
export interface MessageLiteral extends Node {
  readonly kind: "message";
  readonly typeName: string;
  readonly fields: readonly MessageField[];
}

export interface MessageField {
  readonly offset: number;
  readonly name: string;
  readonly value: Expression;
  readonly optional: boolean;
}

/** The kind of a comprehension's result: a boolean, a list, or a map. */
export type ComprehensionForm = "all" | "exists" | "exists-one" | "filter" | "list" | "map" | "map-entries";

/** A macro that walks a list or a map: `range.all(x, body)`, `range.map(x, filter, body)`. */
export interface Comprehension extends Node {
  readonly kind: "comprehension";
  readonly form: ComprehensionForm;
  readonly range: Expression;
  /** The element or key; or, with two, index and element or key and value. */
  readonly variables: readonly [string] | readonly [string, string];
  readonly filter: Expression | undefined;
  readonly body: Expression;
}

/** `cel.bind(variable, value, body)`. */
export interface Binding extends Node {
  readonly kind: "binding";
  readonly variable: string;
  readonly value: Expression;
  readonly body: Expression;
}

/** `operand.optMap(variable, body)`, or with `flat` `operand.optFlatMap(variable, body)`. */
export interface OptionalMap extends Node {
  readonly kind: "optional-map";
  readonly operand: Expression;
  readonly variable: string;
  readonly body: Expression;
  readonly flat: boolean;
}

/** Replaces a rejected part, so that the rest can still be checked. */
export interface Invalid extends Node {
  readonly kind: "invalid";
}

/** `a.b.c` for a plain chain of names, undefined for anything else. */
export function qualifiedName(expression: Expression): string | undefined {
  if (expression.kind === "identifier") return expression.absolute ? `.${expression.name}` : expression.name;
  if (expression.kind !== "select" || expression.optional) return undefined;
  const prefix = qualifiedName(expression.operand);
  return prefix === undefined ? undefined : `${prefix}.${expression.field}`;
}
