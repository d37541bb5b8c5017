import { isJsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { typeOf } from "@milo-quota/kubernetes/schema/value-checks.ts";
import { excerpt } from "../quoted-excerpt.ts";

/** The maximum size of all annotations of an object in Kubernetes. */
const textMax = 262_144;
/** Room for the digits of any int64 and some white space. */
const integerLengthMax = 64;

/** A value in a pipeline; undefined for a path that does not exist. */
export type PipelineValue = JsonValue | undefined;

/** Why a function has no result. */
export class PipelineFailure {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

export interface GoFunction {
  readonly parameters: readonly string[];
  /** Gets as many arguments as it has parameters. */
  readonly call: (...args: readonly JsonValue[]) => JsonValue | PipelineFailure;
}

/**
 * The functions of Go template pipelines. The piped value is the last argument, as in Helm: `.trigger.metadata.name | replace
 * "." "-"`. `default` is not among them, because it is the only function that is called with missing values.
 */
export const goFunctions: Readonly<Record<string, GoFunction>> = {
  lower: textFunction((text) => text.toLowerCase()),
  upper: textFunction((text) => text.toUpperCase()),
  title: textFunction((text) =>
    text.replace(/(^|[^\p{L}\p{M}\p{N}'_])(\p{L})/gu, (_, before, letter) => before + letter.toUpperCase()),
  ),
  trim: textFunction((text) => text.trim()),
  contains: {
    parameters: ["part", "text"],
    call: (part, text) => withTexts("contains", [part, text], ([wanted = "", whole = ""]) => whole.includes(wanted)),
  },
  replace: {
    parameters: ["old", "new", "text"],
    call: (old, replacement, text) =>
      withTexts("replace", [old, replacement, text], ([from = "", to = "", whole = ""]) => replaced(whole, from, to)),
  },
  split: {
    parameters: ["separator", "text"],
    call: (separator, text) => withTexts("split", [separator, text], ([by = "", whole = ""]) => whole.split(by)),
  },
  join: { parameters: ["separator", "list"], call: join },
  toInt: { parameters: ["value"], call: toInt },
  toString: {
    parameters: ["value"],
    call: (value: JsonValue) => textOf(value) ?? new PipelineFailure(`cannot convert ${article(value)}`),
  },
};

/** Whether `default` replaces the value: it is missing, or empty by the rules of Go templates. */
export function isEmpty(value: PipelineValue): boolean {
  if (value === undefined || value === null || value === "" || value === false) return true;
  if (typeof value === "number" || typeof value === "bigint") return Number(value) === 0;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/** The value as text; undefined for lists, maps and null. */
export function textOf(value: JsonValue): string | undefined {
  return value === null || typeof value === "object" ? undefined : String(value);
}

/** `a list`, `an integer`, as messages name a value. */
export function article(value: JsonValue): string {
  if (value === null) return "null";
  const name = Array.isArray(value) ? "list" : isJsonObject(value) ? "map" : typeOf(value);
  return `${/^[aeiou]/.test(name) ? "an" : "a"} ${name}`;
}

function textFunction(change: (text: string) => string): GoFunction {
  return {
    parameters: ["text"],
    call: (value) =>
      typeof value === "string" ? change(value) : new PipelineFailure(`takes a string, not ${article(value)}`),
  };
}

function withTexts(
  name: string,
  values: readonly JsonValue[],
  use: (texts: readonly string[]) => JsonValue | PipelineFailure,
): JsonValue | PipelineFailure {
  const other = values.find((value) => typeof value !== "string");
  if (other !== undefined) return new PipelineFailure(`${name} takes strings, not ${article(other)}`);
  return use(values as readonly string[]);
}

/** Bounded, because a short template with chained replacements could otherwise use up the memory. */
function replaced(text: string, old: string, by: string): JsonValue | PipelineFailure {
  const times = old === "" ? text.length + 1 : text.split(old).length - 1;
  if (text.length + times * (by.length - old.length) > textMax) return tooLong("replace");
  return text.replaceAll(old, () => by);
}

function tooLong(name: string): PipelineFailure {
  return new PipelineFailure(`${name} would return more than ${textMax} characters`);
}

/** Accepts the list and the separator in any order: `join "," .list` and `join .list ","`. */
function join(first: JsonValue, second: JsonValue): JsonValue | PipelineFailure {
  const [list, separator] = Array.isArray(first) ? [first, second] : [second, first];
  if (!Array.isArray(list) || typeof separator !== "string") {
    return new PipelineFailure(`join takes a separator and a list, not ${article(first)} and ${article(second)}`);
  }
  const texts = list.map(textOf);
  if (texts.includes(undefined)) return new PipelineFailure("join takes a list of strings and numbers");
  const length = texts.reduce((sum, text) => sum + (text ?? "").length + separator.length, 0);
  return length > textMax ? tooLong("join") : texts.join(separator);
}

function toInt(value: JsonValue): JsonValue | PipelineFailure {
  if (typeof value === "bigint") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "number") return Math.trunc(value);
  if (typeof value === "string" && value.length <= integerLengthMax && /^\s*[-+]?[0-9]+\s*$/.test(value)) {
    const exact = BigInt(value.trim().replace(/^\+/, ""));
    return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact;
  }
  return new PipelineFailure(
    `toInt cannot convert ${typeof value === "string" ? excerpt(value) : article(value)} to an integer`,
  );
}
