import type { Expression } from "./ast.ts";
import type { Finding } from "./syntax-issue.ts";

/** A call whose arguments are expressions, not values. */
export interface MacroCall {
  readonly target: Expression | undefined;
  readonly args: readonly Expression[];
  readonly offset: number;
}

/** The expansion of a macro; the parser adds the depth. Undefined means an ordinary call. */
export type Expansion = WithoutDepth<Expression> | Finding | undefined;

export type WithoutDepth<T> = T extends Expression ? Omit<T, "depth"> : never;

export interface Macro {
  readonly name: string;
  /** Whether it is a method. */
  readonly member: boolean;
  readonly argumentCounts: readonly number[];
  readonly expand: (call: MacroCall) => Expansion;
  readonly summary: string;
  readonly example: string;
}

export function macroKey(name: string, member: boolean, argumentCount: number): string {
  return `${member ? "." : ""}${name}/${argumentCount}`;
}
