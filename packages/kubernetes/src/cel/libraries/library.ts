import type { Type, ValueOf } from "../cel-type.ts";
import type { Planning } from "../run/planning.ts";
import type { Planned } from "../run/step.ts";
import type { Call, Expression } from "../syntax/ast.ts";
import type { Macro } from "../syntax/macro.ts";
import type { Finding } from "../syntax/syntax-issue.ts";
import type { Failure } from "../values/failure.ts";
import type { Meter } from "../values/meter.ts";
import type { Outcome, Value } from "../values/value.ts";

/** Functions and macros under one name, so that an environment can say which it offers. */
export interface Library {
  readonly name: string;
  readonly functions: readonly FunctionDeclaration[];
  readonly macros: readonly Macro[];
}

export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
  readonly summary: string;
  /** An expression that is true. */
  readonly example: string;
  /** Whether a list written as its argument is a row of unrelated values, which lists otherwise are not. */
  readonly takesMixedList?: boolean;
  readonly prepare?: Preparation;
  /** What else can be wrong with a call, as far as its arguments are written out. */
  readonly examine?: (call: CallSite, typeOf: (expression: Expression) => Type) => readonly Finding[];
}

export interface CallSite {
  /** The receiver of a method comes first. */
  readonly args: readonly Expression[];
  readonly offset: number;
}

/** One signature of a function, and what it does. */
export type Overload = CalledOverload | PlannedOverload;

interface Signature {
  readonly member: boolean;
  /** The receiver of a method is the first of them. */
  readonly parameters: readonly Type[];
  readonly result: Type;
}

/** Computes its arguments, pays, and is called with them: nearly every function. */
export interface CalledOverload extends Signature, Implementation {
  /** Whether the call relies on its arguments being of these types; if not, it looks for itself. */
  readonly guarded: boolean;
}

/** Turns its calls into steps itself, because it does not need all of its arguments, or looks into how they are written. */
export interface PlannedOverload extends Signature {
  readonly plan: Planner;
}

export type Planner = (planning: Planning, call: Call) => Planned;

export interface Implementation {
  /** Gets the meter after its arguments. */
  readonly call: (...argumentsThenMeter: (Value | Meter)[]) => Outcome;
  /** Spent before the call, and so computed from the arguments alone. What only the call finds out, it spends itself. */
  readonly cost: (...args: Value[]) => number;
}

/** Forgets the types of parameters, here and nowhere else: whoever calls has looked at the arguments before. */
export function implement<Args extends readonly unknown[], Priced extends readonly unknown[]>(
  call: (...args: Args) => Outcome,
  cost: (...args: Priced) => number,
): Implementation {
  return { call: call as unknown as Implementation["call"], cost: cost as unknown as Implementation["cost"] };
}

/** What can be done once, at compile time, if an argument is a constant. */
export interface Preparation {
  readonly argument: number;
  /** A failure refuses the expression; undefined leaves everything to the evaluation. */
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

/** Several signatures, parameters then result, of one implementation that tells its arguments apart by itself. */
export function signatures<Args extends Value[]>(
  call: (...args: Args) => Outcome,
  all: readonly (readonly [parameters: readonly Type[], result: Type])[],
  cost: (...args: Args) => number,
): readonly CalledOverload[] {
  return all.map(([parameters, result]) => {
    return { member: false, parameters, result, guarded: false, ...implement(call, cost) };
  });
}

/** Several signatures of a function that plans its calls itself. */
export function planned(
  plan: Planner,
  all: readonly (readonly [parameters: readonly Type[], result: Type])[],
): readonly PlannedOverload[] {
  return all.map(([parameters, result]) => ({ member: false, parameters, result, plan }));
}

export function asMethods(overloads: readonly Overload[]): Overload[] {
  return overloads.map((overload) => ({ ...overload, member: true }));
}
