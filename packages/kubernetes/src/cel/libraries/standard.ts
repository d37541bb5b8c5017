import { standardMacros } from "../syntax/macros.ts";
import { conversionFunctions } from "./conversion-functions.ts";
import type { Library } from "./library.ts";
import { operators } from "./operators.ts";
import { textFunctions } from "./text-functions.ts";
import { timeFunctions } from "./time-functions.ts";

/** What every environment has: the language itself. */
export const standardLibrary: Library = {
  name: "standard",
  functions: [...operators, ...conversionFunctions, ...textFunctions, ...timeFunctions],
  macros: standardMacros,
};
