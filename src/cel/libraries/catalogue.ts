import { bindingMacros, twoVariableMacros } from "../syntax/macros.ts";
import { cidrLibrary } from "./cidr.ts";
import { encodersLibrary } from "./encoders.ts";
import { ipLibrary } from "./ip.ts";
import type { Library } from "./library.ts";
import { listsLibrary } from "./lists.ts";
import { mathLibrary } from "./math.ts";
import { optionalsLibrary } from "./optionals.ts";
import { quantityLibrary } from "./quantity.ts";
import { regexLibrary } from "./regex.ts";
import { semverLibrary } from "./semver.ts";
import { setsLibrary } from "./sets.ts";
import { standardLibrary } from "./standard.ts";
import { stringsLibrary } from "./strings.ts";

const comprehensionsLibrary: Library = { name: "comprehensions", functions: [], macros: twoVariableMacros };
const bindingsLibrary: Library = { name: "bindings", functions: [], macros: bindingMacros };

/**
 * Those that Kubernetes offers too: for expressions that must mean the same to a kube-apiserver. Kubernetes has more than
 * these; the reference page on expressions lists what is missing.
 */
export const kubernetesLibraries: readonly Library[] = [
  ...[standardLibrary, stringsLibrary, listsLibrary, regexLibrary, quantityLibrary, setsLibrary, optionalsLibrary],
  ...[comprehensionsLibrary, ipLibrary, cidrLibrary, semverLibrary],
];

export const everyLibrary: readonly Library[] = [
  ...kubernetesLibraries,
  ...[bindingsLibrary, mathLibrary, encodersLibrary],
];
