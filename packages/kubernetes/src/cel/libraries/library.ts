import type { Type, ValueOf } from "../cel-type.ts";
import type { Planning } from "../run/planning.ts";
import type { Planned } from "../run/step.ts";
import type { Call, Expression } from "../syntax/ast.ts";
import type { Macro } from "../syntax/macro.ts";
import type { Finding } from "../syntax/syntax-issue.ts";
import type { Failure } from "../values/failure.ts";
import type { Meter } from "../values/meter.ts";
import type { Outcome, Value } from "../values/value.ts";

/** A named set of functions and macros. */
export interface Library {
  readonly name: string;
  readonly functions: readonly FunctionDeclaration[];
  readonly macros: readonly Macro[];
}

export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
  readonly summary: string;
  /** An expression that evaluates to true. */
  readonly example: string;
  /** Whether a list literal as its argument may mix types. */
  readonly takesMixedList?: boolean;
  readonly prepare?: Preparation;
  /** Additional compile-time checks of a call's literal arguments. */
  readonly examine?: (call: CallSite, typeOf: (expression: Expression) => Type) => readonly Finding[];
}

export interface CallSite {
  /** The receiver of a method comes first. */
  readonly args: readonly Expression[];
  readonly offset: number;
}

/** One signature of a function with its implementation. */
export type Overload = CalledOverload | PlannedOverload;

interface Signature {
  readonly member: boolean;
  /** The receiver of a method is the first of them. */
  readonly parameters: readonly Type[];
  readonly result: Type;
}

/** Evaluates its arguments, charges, and calls: nearly every function. */
export interface CalledOverload extends Signature, Implementation {
  /** Whether arguments are type-checked before the call; if not, the implementation does it. */
  readonly guarded: boolean;
}

/** Plans its own calls, because it evaluates arguments conditionally or inspects their expressions. */
export interface PlannedOverload extends Signature {
  readonly plan: Planner;
}

export type Planner = (planning: Planning, call: Call) => Planned;

export interface Implementation {
  /** The meter follows the arguments. */
  readonly call: (...argumentsThenMeter: (Value | Meter)[]) => Outcome;
  /**
   * Charged before the call, so computed from the arguments only. Costs that only the call can determine, it charges
   * itself.
   */
  readonly cost: (...args: Value[]) => number;
}

/** Erases parameter types, which callers have checked. */
export function implement<Args extends readonly unknown[], Priced extends readonly unknown[]>(
  call: (...args: Args) => Outcome,
  cost: (...args: Priced) => number,
): Implementation {
  return { call: call as unknown as Implementation["call"], cost: cost as unknown as Implementation["cost"] };
}

/** Work done once at compile time for a constant argument. */
export interface Preparation {
  readonly argument: number;
  /** A failure rejects the expression; undefined leaves everything to the evaluation. */
  readonly with: (constant: Value) => { readonly constant: Value } | Implementation | Failure | undefined;
}

type Values<P extends readonly Type[]> = { [K in keyof P]: ValueOf<P[K]> };
type TypedCall<P extends readonly Type[]> = (...args: [...Values<P>, Meter]) => Outcome;
type TypedCost<P extends readonly Type[]> = (...args: Values<P>) => number;

/** `receiver.f(…)`; the receiver is the first parameter. */
export function method<const P extends readonly Type[]>(
  parameters: P,
  result: Type,
  call: TypedCall<P>,
  cost: TypedCost<P>,
): CalledOverload {
  return { member: true, parameters, result, guarded: true, ...implement(call, cost) };
}

/** `f(…)`. */
export function free<const P extends readonly Type[]>(
  parameters: P,
  result: Type,
  call: TypedCall<P>,
  cost: TypedCost<P>,
): CalledOverload {
  return { ...method(parameters, result, call, cost), member: false };
}

/** Several signatures of one implementation that distinguishes its arguments itself. */
export function signatures<Args extends Value[]>(
  call: (...args: Args) => Outcome,
  all: readonly (readonly [parameters: readonly Type[], result: Type])[],
  cost: (...args: Args) => number,
): readonly CalledOverload[] {
  return all.map(([parameters, result]) => {
    return { member: false, parameters, result, guarded: false, ...implement(call, cost) };
  });
}

/** Several signatures of a function that plans its own calls. */
export function planned(
  plan: Planner,
  all: readonly (readonly [parameters: readonly Type[], result: Type])[],
): readonly PlannedOverload[] {
  return all.map(([parameters, result]) => ({ member: false, parameters, result, plan }));
}

export function asMethods(overloads: readonly Overload[]): Overload[] {
  return overloads.map((overload) => ({ ...overload, member: true }));
}
