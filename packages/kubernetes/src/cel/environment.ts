import type { Type } from "./cel-type.ts";
import { everyLibrary } from "./libraries/catalogue.ts";
import type { FunctionDeclaration, Library } from "./libraries/library.ts";
import { type Macro, macroKey } from "./syntax/macro.ts";

/** What an expression may refer to. Immutable. */
export interface Environment {
  readonly variables: ReadonlyMap<string, Type>;
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  /** By `macroKey`. */
  readonly macros: ReadonlyMap<string, Macro>;
  /** The namespace in which unqualified names are looked up first. */
  readonly container: string;
  /** Whether `[1, "a"]` is a list of `dyn`, or an error. */
  readonly mixedLiterals: boolean;
}

export interface EnvironmentOptions {
  readonly variables?: Readonly<Record<string, Type>>;
  /** Defaults to all libraries. */
  readonly libraries?: readonly Library[];
  readonly container?: string;
  /** Defaults to false, as in Kubernetes. */
  readonly mixedLiterals?: boolean;
}

export function createEnvironment(options: EnvironmentOptions = {}): Environment {
  const libraries = options.libraries ?? everyLibrary;
  return {
    variables: new Map(Object.entries(options.variables ?? {})),
    functions: functionsOf(libraries),
    macros: macrosOf(libraries),
    container: options.container ?? "",
    mixedLiterals: options.mixedLiterals ?? false,
  };
}

/** The same environment with more variables; cheap, because functions and macros are shared. */
export function extendEnvironment(environment: Environment, variables: Readonly<Record<string, Type>>): Environment {
  return { ...environment, variables: new Map([...environment.variables, ...Object.entries(variables)]) };
}

function functionsOf(libraries: readonly Library[]): ReadonlyMap<string, FunctionDeclaration> {
  const functions = new Map<string, FunctionDeclaration>();
  for (const declared of libraries.flatMap((library) => library.functions)) {
    const earlier = functions.get(declared.name);
    functions.set(declared.name, earlier === undefined ? declared : merge(earlier, declared));
  }
  return functions;
}

/** `indexOf` is one function, although strings and lists come from different libraries. */
function merge(first: FunctionDeclaration, second: FunctionDeclaration): FunctionDeclaration {
  return { ...second, ...first, overloads: [...first.overloads, ...second.overloads] };
}

function macrosOf(libraries: readonly Library[]): ReadonlyMap<string, Macro> {
  const macros = libraries.flatMap((library) => library.macros);
  return new Map(
    macros.flatMap((macro) =>
      macro.argumentCounts.map((count) => [macroKey(macro.name, macro.member, count), macro] as const),
    ),
  );
}
