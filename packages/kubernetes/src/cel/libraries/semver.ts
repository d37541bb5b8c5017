import { boolType, intType, semverType, stringType } from "../cel-type.ts";
import { excerpt } from "../values/excerpt.ts";
import { Failure } from "../values/failure.ts";
import { normalizeSemver, parseSemver, type SemanticVersion } from "../values/semantic-version.ts";
import { callCost, textCost } from "./costs.ts";
import { type FunctionDeclaration, free, type Library, method } from "./library.ts";

function semver(text: string, normalize: boolean): SemanticVersion | undefined {
  return parseSemver(normalize ? normalizeSemver(text) : text);
}

function semverFrom(text: string, normalize: boolean): SemanticVersion | Failure {
  return semver(text, normalize) ?? new Failure("conversion", `not a semantic version: "${excerpt(text)}"`);
}

function part(name: string, index: 0 | 1 | 2, summary: string, example: string): FunctionDeclaration {
  const numberOf = ({ numbers }: SemanticVersion) => BigInt.asIntN(64, numbers[index]);
  return { name, overloads: [method([semverType], intType, numberOf, callCost)], summary, example };
}

const functions: readonly FunctionDeclaration[] = [
  {
    name: "semver",
    overloads: [
      free([stringType], semverType, (text) => semverFrom(text, false), textCost),
      free([stringType, boolType], semverType, semverFrom, textCost),
    ],
    summary: "Parses a semantic version; with true, also one that starts with v, lacks numbers or has leading zeros.",
    example: 'semver("1.2.3") == semver("1.2.3+build") && semver("v1.02", true) == semver("1.2.0")',
  },
  {
    name: "isSemver",
    overloads: [
      free([stringType], boolType, (text) => semver(text, false) !== undefined, textCost),
      free([stringType, boolType], boolType, (text, normalize) => semver(text, normalize) !== undefined, textCost),
    ],
    summary: "Whether a string is a semantic version.",
    example: 'isSemver("1.0.0-alpha.1") && !isSemver("v1.0") && isSemver("v1.0", true)',
  },
  part("major", 0, "The first number of a version.", 'semver("1.2.3").major() == 1'),
  part("minor", 1, "The second number.", 'semver("1.2.3").minor() == 2'),
  part("patch", 2, "The third number.", 'semver("1.2.3").patch() == 3'),
  {
    name: "isLessThan",
    overloads: [method([semverType, semverType], boolType, (left, right) => left.compare(right) < 0, callCost)],
    summary: "Whether a version comes before another.",
    example: 'semver("1.0.0-rc.1").isLessThan(semver("1.0.0"))',
  },
  {
    name: "isGreaterThan",
    overloads: [method([semverType, semverType], boolType, (left, right) => left.compare(right) > 0, callCost)],
    summary: "Whether a version comes after another.",
    example: 'semver("1.10.0").isGreaterThan(semver("1.9.0"))',
  },
  {
    name: "compareTo",
    overloads: [method([semverType, semverType], intType, (left, right) => BigInt(left.compare(right)), callCost)],
    summary: "-1, 0 or 1.",
    example: 'semver("1.2.3").compareTo(semver("2.0.0")) == -1',
  },
];

export const semverLibrary: Library = { name: "semver", functions, macros: [] };
