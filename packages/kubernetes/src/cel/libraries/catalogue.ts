import { bindingMacros, twoVariableMacros } from "../syntax/macros.ts";
import { cidrLibrary } from "./cidr.ts";
import { encodersLibrary } from "./encoders.ts";
import { ipLibrary } from "./ip.ts";
import type { Library } from "./library.ts";
import { listsLibrary } from "./lists.ts";
import { mathLibrary } from "./math.ts";
import { namedFormatsLibrary } from "./named-formats.ts";
import { optionalsLibrary } from "./optionals.ts";
import { quantityLibrary } from "./quantity.ts";
import { regexLibrary } from "./regex.ts";
import { semverLibrary } from "./semver.ts";
import { setsLibrary } from "./sets.ts";
import { standardLibrary } from "./standard.ts";
import { stringsLibrary } from "./strings.ts";
import { urlsLibrary } from "./urls.ts";

const comprehensionsLibrary: Library = { name: "comprehensions", functions: [], macros: twoVariableMacros };
const bindingsLibrary: Library = { name: "bindings", functions: [], macros: bindingMacros };

/**
 * The libraries that Kubernetes has too: for expressions that must mean the same to a kube-apiserver. The authorizer
 * and list sorting are missing, and some functions differ in ways the reference page lists.
 */
export const kubernetesLibraries: readonly Library[] = [
  ...[standardLibrary, stringsLibrary, listsLibrary, regexLibrary, quantityLibrary, setsLibrary, optionalsLibrary],
  ...[comprehensionsLibrary, urlsLibrary, ipLibrary, cidrLibrary, semverLibrary, namedFormatsLibrary],
];

export const everyLibrary: readonly Library[] = [
  ...kubernetesLibraries,
  ...[bindingsLibrary, mathLibrary, encodersLibrary],
];
