import { standardMacros } from "../syntax/macros.ts";
import { conversionFunctions } from "./conversion-functions.ts";
import type { Library } from "./library.ts";
import { operators } from "./operators.ts";
import { textFunctions } from "./text-functions.ts";
import { timeFunctions } from "./time-functions.ts";

/** The functions and macros of every environment. */
export const standardLibrary: Library = {
  name: "standard",
  functions: [...operators, ...conversionFunctions, ...textFunctions, ...timeFunctions],
  macros: standardMacros,
};
