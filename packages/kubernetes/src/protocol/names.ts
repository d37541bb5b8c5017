/** A rule for names: returns the problems in the words of Kubernetes; none for a valid name. */
export type NameRule = (value: string) => readonly string[];

const none: readonly never[] = [];

const labelFormat = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomainFormat = `${labelFormat}(\\.${labelFormat})*`;
const qualifiedFormat = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const labelValueFormat = `(${qualifiedFormat})?`;

const alphanumericEnds = "and must start and end with an alphanumeric character";
const labelHint = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', ${alphanumericEnds}`;
const subdomainHint = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', ${alphanumericEnds}`;
const qualifiedHint = `must consist of alphanumeric characters, '-', '_' or '.', ${alphanumericEnds}`;
const labelValueHint = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', ${alphanumericEnds}`;

export const labelLengthMax = 63;
export const subdomainLengthMax = 253;

const labelPattern = whole(labelFormat);
const subdomainPattern = whole(subdomainFormat);
const qualifiedPattern = whole(qualifiedFormat);
const labelValuePattern = whole(labelValueFormat);

export const dnsLabel: NameRule = (value) => {
  const issues = lengthIssues(value, labelLengthMax);
  if (labelPattern.test(value)) return issues;
  if (subdomainPattern.test(value)) return [...issues, "must not contain dots"];
  return [...issues, formatIssue(labelHint, labelFormat, ["my-name", "123-abc"])];
};

export const dnsSubdomain: NameRule = (value) => {
  const issues = lengthIssues(value, subdomainLengthMax);
  if (subdomainPattern.test(value)) return issues;
  return [...issues, formatIssue(subdomainHint, subdomainFormat, ["example.com"])];
};

/** The key of a label or annotation: a name, optionally prefixed by a domain and a slash. */
export const qualifiedName: NameRule = (value) => {
  const parts = value.split("/");
  if (parts.length > 2) {
    const hint = formatIssue(qualifiedHint, qualifiedFormat, ["MyName", "my.name", "123-abc"]);
    return [`a qualified name ${hint} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const [prefix, name] = parts.length === 2 ? [parts[0], parts[1] as string] : [undefined, parts[0] as string];
  return [...(prefix === undefined ? [] : prefixIssues(prefix)), ...namePartIssues(name)];
};

export const labelValue: NameRule = (value) => {
  const issues = lengthIssues(value, labelLengthMax);
  if (labelValuePattern.test(value)) return issues;
  return [...issues, formatIssue(labelValueHint, labelValueFormat, ["MyValue", "my_value", "12345"])];
};

/** Characters that cannot be stored. */
const unstorable = /[\0\p{Surrogate}]/u;
const pathSegmentLengthMax = 1_024;

/** Valid as a segment of a URL path, and storable. */
export const pathSegment: NameRule = (name) => {
  if (name === "." || name === "..") return [`may not be '${name}'`];
  if (unstorable.test(name)) return ["may not contain U+0000, nor half of a surrogate pair"];
  if (name.length > pathSegmentLengthMax) return [`must be no more than ${pathSegmentLengthMax} characters`];
  if (!name.includes("/") && !name.includes("%")) return none;
  return ["/", "%"].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`);
};

/** Caches valid names: objects of all kinds use the same ones. */
export function cacheValidNames(rule: NameRule): NameRule {
  const valid = new Set<string>();
  return (text) => {
    if (valid.has(text)) return none;
    const faults = rule(text);
    if (faults.length > 0) return faults;
    if (valid.size >= validNamesMax) valid.clear();
    valid.add(text);
    return none;
  };
}

const validNamesMax = 1_000;

function prefixIssues(prefix: string): readonly string[] {
  const issues = prefix === "" ? ["must be non-empty"] : dnsSubdomain(prefix);
  return issues.map((issue) => `prefix part ${issue}`);
}

function namePartIssues(name: string): readonly string[] {
  const issues = name === "" ? ["must be non-empty"] : lengthIssues(name, labelLengthMax);
  const format = qualifiedPattern.test(name)
    ? []
    : [formatIssue(qualifiedHint, qualifiedFormat, ["MyName", "my.name", "123-abc"])];
  return [...issues, ...format].map((issue) => `name part ${issue}`);
}

/** Kubernetes counts bytes; non-ASCII names are rejected by their pattern anyway. */
function lengthIssues(value: string, lengthMax: number): readonly string[] {
  return value.length > lengthMax ? [`must be no more than ${lengthMax} characters`] : none;
}

function formatIssue(hint: string, format: string, examples: readonly string[]): string {
  const shown = examples.map((example) => `'${example}'`).join(",  or ");
  return `${hint} (e.g. ${shown}, regex used for validation is '${format}')`;
}

function whole(format: string): RegExp {
  return new RegExp(`^${format}$`);
}
