import { dynType, formatType, type Type } from "../cel-type.ts";
import type { FunctionDeclaration, Overload } from "../libraries/library.ts";
import { type Call, type Expression, qualifiedName } from "../syntax/ast.ts";
import { Failure } from "../values/failure.ts";
import { isLocal } from "./check-name.ts";
import type { Checking } from "./checking.ts";
import { sameType } from "./same-type.ts";

export function checkCall(checking: Checking, call: Call): Type {
  const visitArgs = () => {
    for (const argument of call.args) checking.visit(argument);
  };
  if (checking.environment.functions.get(call.name)?.takesMixedList) checking.allowingMixed(visitArgs);
  else visitArgs();
  if (call.target === undefined) return resolveFree(checking, call, call.name);
  const namespaced = namespacedName(checking, call.target, call.name);
  if (namespaced !== undefined) return resolveFree(checking, call, namespaced);
  return resolveMethod(checking, call, call.target);
}

/** `optional.of` is a function of that name, not a method of a variable `optional`. */
function namespacedName(checking: Checking, target: Expression, name: string): string | undefined {
  const prefix = isLocal(checking, target) ? undefined : qualifiedName(target);
  if (prefix === undefined) return undefined;
  const qualified = `${prefix}.${name}`;
  return checking.find(checking.environment.functions, qualified) === undefined ? undefined : qualified;
}

function resolveFree(checking: Checking, call: Call, name: string): Type {
  const declared = checking.find(checking.environment.functions, name);
  if (declared === undefined) return checking.refuseUndeclared(call.offset, name.replace(/^\./, ""));
  return resolve(checking, call, declared.found, { member: false, args: call.args });
}

function resolveMethod(checking: Checking, call: Call, target: Expression): Type {
  checking.visit(target);
  const declared = checking.environment.functions.get(call.name);
  if (declared === undefined) return checking.refuseUndeclared(call.offset, call.name);
  return resolve(checking, call, declared, { member: true, args: [target, ...call.args] });
}

interface Arguments {
  readonly member: boolean;
  /** The receiver of a method comes first. */
  readonly args: readonly Expression[];
}

function resolve(checking: Checking, call: Call, declared: FunctionDeclaration, { member, args }: Arguments): Type {
  const argumentTypes = args.map((argument) => checking.typed.get(argument) ?? dynType);
  const matches = declared.overloads.flatMap((overload) => {
    const result = overload.member === member ? resultOf(checking, overload, argumentTypes) : undefined;
    return result === undefined ? [] : [{ overload, result }];
  });
  if (matches.length === 0) return refuseArguments(checking, call, declared, { member, args });
  const overloads = matches.map((match) => match.overload);
  checking.calls.set(call, { declared, args, overloads });
  refuseConstant(checking, declared, args);
  examine(checking, call, declared, args);
  return commonType(matches.map((match) => match.result));
}

/** The result type of an overload for these argument types; undefined if it does not accept them. */
function resultOf(checking: Checking, overload: Overload, argumentTypes: readonly Type[]): Type | undefined {
  const [result = dynType, ...parameters] = checking.types.instantiate([overload.result, ...overload.parameters]);
  return checking.types.assign(argumentTypes, parameters) ? checking.types.resolve(result) : undefined;
}

function commonType([first = dynType, ...rest]: readonly Type[]): Type {
  return rest.every((type) => sameType(type, first)) ? first : dynType;
}

const argumentsShown = 16;

function refuseArguments(checking: Checking, call: Call, declared: FunctionDeclaration, site: Arguments): Type {
  const { member, args } = site;
  // Recorded although it is rejected: running an unchecked expression needs the overloads.
  const overloads = declared.overloads.filter((one) => one.member === member && one.parameters.length === args.length);
  checking.calls.set(call, { declared, args, overloads });
  const shown = args.slice(0, argumentsShown);
  const types = shown.map((argument) => formatType(checking.types.finish(checking.typed.get(argument) ?? dynType)));
  if (args.length > argumentsShown) types.push("…");
  const receiver = member ? `${types.shift()}.` : "";
  const applied = `${receiver}(${types.join(", ")})`;
  return checking.refuse(call.offset, `found no matching overload for '${declared.name}' applied to '${applied}'`);
}

function refuseConstant(checking: Checking, { name, prepare }: FunctionDeclaration, args: readonly Expression[]): void {
  const argument = prepare === undefined ? undefined : args[prepare.argument];
  if (prepare === undefined || argument?.kind !== "literal") return;
  const prepared = prepare.with(argument.value);
  if (prepared instanceof Failure) {
    checking.refuse(argument.offset, `invalid ${name} argument: ${prepared.message}`);
  }
}

function examine(
  checking: Checking,
  { offset }: Call,
  declared: FunctionDeclaration,
  args: readonly Expression[],
): void {
  const typeOf = (argument: Expression) => checking.types.finish(checking.typed.get(argument) ?? dynType);
  for (const finding of declared.examine?.({ args, offset }, typeOf) ?? []) {
    checking.refuse(finding.offset, finding.message);
  }
}
