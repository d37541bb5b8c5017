import { isCivilDate } from "../../protocol/calendar.ts";
import { decodeBase64 } from "./base64.ts";
import { parseUrl } from "./network/url.ts";
import { Opaque } from "./opaque.ts";
import { formatName } from "./type-name.ts";

/** The problems of a text; empty if it is valid. */
type Validate = (text: string) => readonly string[];

/** A named format of Kubernetes, such as that of a label value. */
export class NamedFormat extends Opaque {
  readonly #name: string;
  readonly #weight: number;
  readonly #validate: Validate;

  constructor(name: string, weight: number, validate: Validate) {
    super();
    this.#name = name;
    this.#weight = weight;
    this.#validate = validate;
  }

  /** Length of an equivalent pattern, for the cost. */
  get weight(): number {
    return this.#weight;
  }

  validate(text: string): readonly string[] {
    return this.#validate(text);
  }

  override get typeName(): string {
    return formatName;
  }

  override equals(other: NamedFormat): boolean {
    return this.#name === other.#name;
  }

  override toString(): string {
    return this.#name;
  }
}

/** A format defined by a pattern and a length, with Kubernetes' messages. */
interface Shape {
  readonly rule: string;
  readonly pattern: string;
  readonly examples: readonly string[];
  readonly lengthMax: number;
}

const alphanumericEnds = "must start and end with an alphanumeric character";

const label: Shape = {
  rule: `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and ${alphanumericEnds}`,
  pattern: "[a-z0-9]([-a-z0-9]*[a-z0-9])?",
  examples: ["my-name", "123-abc"],
  lengthMax: 63,
};

const subdomain: Shape = {
  rule: `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and ${alphanumericEnds}`,
  pattern: `${label.pattern}(\\.${label.pattern})*`,
  examples: ["example.com"],
  lengthMax: 253,
};

const label1035: Shape = {
  rule: "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  pattern: "[a-z]([-a-z0-9]*[a-z0-9])?",
  examples: ["my-name", "abc-123"],
  lengthMax: 63,
};

const qualified: Shape = {
  rule: `must consist of alphanumeric characters, '-', '_' or '.', and ${alphanumericEnds}`,
  pattern: "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]",
  examples: ["MyName", "my.name", "123-abc"],
  lengthMax: 63,
};

const labelValue: Shape = {
  rule: `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and ${alphanumericEnds}`,
  pattern: `(${qualified.pattern})?`,
  examples: ["MyValue", "my_value", "12345"],
  lengthMax: 63,
};

/** Longer than every format allows: such texts are rejected without matching. */
const matchedMax = 512;

function matches({ pattern }: Shape, text: string): boolean {
  return text.length <= matchedMax && new RegExp(`^(?:${pattern})$`).test(text);
}

function mismatch({ rule, examples, pattern }: Shape): string {
  const shown = examples.map((example) => `'${example}', `).join(" or ");
  return `${rule} (e.g. ${shown}regex used for validation is '${pattern}')`;
}

function problems(shape: Shape, text: string): string[] {
  const tooLong = text.length > shape.lengthMax ? [`must be no more than ${shape.lengthMax} characters`] : [];
  return matches(shape, text) ? tooLong : [...tooLong, mismatch(shape)];
}

function labelProblems(text: string): string[] {
  const found = problems(label, text);
  const dotted = !matches(label, text) && matches(subdomain, text);
  return dotted ? [...found.slice(0, -1), "must not contain dots"] : found;
}

/** A prefix that ends in a dash, for a generated suffix. */
function asPrefix(text: string): string {
  return text.length > 1 && text.endsWith("-") ? `${text.slice(0, -2)}a` : text;
}

function qualifiedProblems(text: string): string[] {
  const [first = "", second, ...more] = text.split("/", 3);
  if (more.length > 0) {
    return [
      `a qualified name ${mismatch(qualified)} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = second ?? first;
  const empty = name === "" ? ["must be non-empty"] : [];
  const ofName = [...empty, ...problems(qualified, name)].map((problem) => `name part ${problem}`);
  return second === undefined ? ofName : [...prefixProblems(first), ...ofName];
}

function prefixProblems(prefix: string): string[] {
  const found = prefix === "" ? ["must be non-empty"] : problems(subdomain, prefix);
  return found.map((problem) => `prefix part ${problem}`);
}

function holding(holds: (text: string) => boolean, problem: string): Validate {
  return (text) => (holds(text) ? [] : [problem]);
}

const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const dateTime = /^(\d{4}-\d\d-\d\d)t([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:.\d+)?(?:z|[+-]\d\d:\d\d)$/i;

function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  return isCivilDate({ year: Number(year), month: Number(month), day: Number(day) });
}

const formats: readonly (readonly [name: string, weight: number, validate: Validate])[] = [
  ["dns1123Label", 30, labelProblems],
  ["dns1123Subdomain", 60, (text) => problems(subdomain, text)],
  ["dns1035Label", 30, (text) => problems(label1035, text)],
  ["qualifiedName", 60, qualifiedProblems],
  ["dns1123LabelPrefix", 30, (text) => labelProblems(asPrefix(text))],
  ["dns1123SubdomainPrefix", 60, (text) => problems(subdomain, asPrefix(text))],
  ["dns1035LabelPrefix", 30, (text) => problems(label1035, asPrefix(text))],
  ["labelValue", 40, (text) => problems(labelValue, text)],
  ["uri", 1_103, holding((text) => parseUrl(text) !== undefined, "invalid URI")],
  ["uuid", 84, holding((text) => uuid.test(text), "does not match the UUID format")],
  [
    "byte",
    84,
    holding((text) => text !== "" && text.length % 4 === 0 && decodeBase64(text) !== undefined, "invalid base64"),
  ],
  ["date", 89, holding(isDate, "invalid date")],
  ["datetime", 89, holding((text) => isDate(dateTime.exec(text)?.[1] ?? ""), "invalid datetime")],
];

/** By the name a policy calls them. */
export const namedFormats: ReadonlyMap<string, NamedFormat> = new Map(
  formats.map(([name, weight, validate]) => [name, new NamedFormat(name, weight, validate)]),
);
