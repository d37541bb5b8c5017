import type { ComprehensionForm, Expression } from "./ast.ts";
import type { Expansion, Macro, MacroCall } from "./macro.ts";
import type { Finding } from "./syntax-issue.ts";

export const standardMacros: readonly Macro[] = [
  {
    name: "has",
    member: false,
    argumentCounts: [1],
    expand: expandHas,
    summary: "Whether a field or key is there.",
    example: 'has({"a": 1}.a)',
  },
  oneVariable("all", "all", "Whether a condition holds for every element, or for every key.", "[1, 2].all(x, x > 0)"),
  oneVariable("exists", "exists", "Whether a condition holds for some element.", "[1, 2].exists(x, x > 1)"),
  oneVariable("exists_one", "exists-one", "Whether it holds for exactly one.", "[1, 2].exists_one(x, x > 1)"),
  oneVariable("existsOne", "exists-one", "The same under its newer name.", "[1, 2].existsOne(x, x > 1)"),
  oneVariable("filter", "filter", "The elements a condition holds for.", "[1, 2].filter(x, x > 1) == [2]"),
  {
    ...oneVariable("map", "list", "A list of what each element becomes.", "[1, 2].map(x, x * 2) == [2, 4]"),
    argumentCounts: [2, 3],
    summary: "A list of what each element becomes; a condition may come before it.",
  },
];

export const twoVariableMacros: readonly Macro[] = [
  twoVariables("all", "all", "Over index and element, or key and value.", '{"a": 1}.all(k, v, v > 0)'),
  twoVariables("exists", "exists", "Over index and element, or key and value.", "[5].exists(i, v, i == 0 && v == 5)"),
  twoVariables("existsOne", "exists-one", "Over index and element, or key and value.", "[5].existsOne(i, v, v == 5)"),
  twoVariables("exists_one", "exists-one", "The same under its older name.", "[5].exists_one(i, v, v == 5)"),
  transform("transformList", "list", "A list made of a list or a map.", "[4].transformList(i, v, i + v) == [4]"),
  transform("transformMap", "map", "A map with the same keys.", '{"a": 1}.transformMap(k, v, v + 1) == {"a": 2}'),
  transform(
    "transformMapEntry",
    "map-entries",
    "A map of new keys.",
    '{"a": 1}.transformMapEntry(k, v, {v: k})[1] == "a"',
  ),
];

export const bindingMacros: readonly Macro[] = [
  {
    name: "bind",
    member: true,
    argumentCounts: [3],
    expand: expandBind,
    summary: "Names a value for use in an expression: `cel.bind(name, value, expression)`.",
    example: "cel.bind(x, 2, x * x) == 4",
  },
];

export const optionalMacros: readonly Macro[] = [
  optionalMap("optMap", false, "Changes the value inside an optional.", "optional.of(1).optMap(x, x + 1).value() == 2"),
  optionalMap(
    "optFlatMap",
    true,
    "The same, by an expression that yields an optional itself.",
    "optional.of([1]).optFlatMap(x, x[?0]).value() == 1",
  ),
];

function expandHas({ args: [argument], offset }: MacroCall): Expansion {
  if (argument?.kind !== "select" || argument.optional) {
    return { message: "invalid argument to has() macro", offset: argument?.offset ?? offset };
  }
  return { kind: "presence", operand: argument.operand, field: argument.field, offset };
}

function oneVariable(name: string, form: ComprehensionForm, summary: string, example: string): Macro {
  const expand = (call: MacroCall) => expandComprehension(call, form, 1);
  return { name, member: true, argumentCounts: [2], expand, summary, example };
}

function twoVariables(name: string, form: ComprehensionForm, summary: string, example: string): Macro {
  const expand = (call: MacroCall) => expandComprehension(call, form, 2);
  return { name, member: true, argumentCounts: [3], expand, summary, example };
}

function transform(name: string, form: ComprehensionForm, summary: string, example: string): Macro {
  return { ...twoVariables(name, form, summary, example), argumentCounts: [3, 4] };
}

/** Variables first, then perhaps a filter, then the body. */
function expandComprehension({ target, args, offset }: MacroCall, form: ComprehensionForm, count: 1 | 2): Expansion {
  const body = args.at(-1);
  if (target === undefined || body === undefined) return undefined;
  const filter = args.length === count + 2 ? args[count] : undefined;
  const names = args.slice(0, count).map(variableName);
  const refused = names.find((name) => typeof name === "object") ?? duplicate(names, args[1]);
  if (refused !== undefined) return refused;
  const variables = names as [string] | [string, string];
  return { kind: "comprehension", form, range: target, variables, filter, body, offset };
}

/** The accumulator's name in other implementations; rejected here too, so that expressions stay portable. */
const accumulator = "__result__";

function variableName(argument: Expression): string | Finding {
  const { offset } = argument;
  if (argument.kind !== "identifier" || argument.absolute) return { message: "argument must be a simple name", offset };
  if (argument.name !== accumulator) return argument.name;
  return { message: "iteration variable overwrites accumulator variable", offset };
}

function duplicate([first, second]: readonly unknown[], at: Expression | undefined): Finding | undefined {
  if (first !== second || at === undefined) return undefined;
  return { message: `duplicate variable name: ${String(first)}`, offset: at.offset };
}

function expandBind({ target, args: [variable, value, body], offset }: MacroCall): Expansion {
  const ours = target?.kind === "identifier" && target.name === "cel";
  if (!ours || variable === undefined || value === undefined || body === undefined) return undefined;
  if (variable.kind !== "identifier" || variable.absolute) {
    return { message: "cel.bind() variable names must be simple identifiers", offset: variable.offset };
  }
  return { kind: "binding", variable: variable.name, value, body, offset };
}

function optionalMap(name: string, flat: boolean, summary: string, example: string): Macro {
  const expand = ({ target, args: [variable, body], offset }: MacroCall): Expansion => {
    if (target === undefined || variable === undefined || body === undefined) return undefined;
    if (variable.kind !== "identifier" || variable.absolute) {
      return { message: `${name}() variable name must be a simple identifier`, offset: variable.offset };
    }
    return { kind: "optional-map", operand: target, variable: variable.name, body, flat, offset };
  };
  return { name, member: true, argumentCounts: [2], expand, summary, example };
}
