/** A strict parser of the Prometheus text format, which throws on anything that a scraper might reject. */
export interface Family {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const metricName = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const helpLine = new RegExp(`^# HELP (${metricName}) (.+)$`);
const typeLine = new RegExp(`^# TYPE (${metricName}) (counter|gauge|histogram)$`);
const sampleLine = new RegExp(`^(${metricName})(?:\\{(.*)\\})? (\\S+)$`);
const labelPart = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\["\\n])*)"(?:,|$)/y;

export function readExposition(text: string): ReadonlyMap<string, Family> {
  if (!text.endsWith("\n")) throw new Error("the last line has no end");
  const families = new Map<string, Family & { samples: Sample[] }>();
  const seen = new Set<string>();
  let current: (Family & { samples: Sample[] }) | undefined;
  let help: { name: string; text: string } | undefined;
  for (const line of text.split("\n").slice(0, -1)) {
    if (line === "") continue;
    const [, helpName, helpText] = helpLine.exec(line) ?? [];
    const [, typeName, type] = typeLine.exec(line) ?? [];
    if (helpName !== undefined && helpText !== undefined) {
      help = { name: helpName, text: helpText };
    } else if (typeName !== undefined && type !== undefined) {
      if (help?.name !== typeName) throw new Error(`${typeName} has no help before its type`);
      if (families.has(typeName)) throw new Error(`${typeName} comes twice`);
      current = { name: typeName, type, help: help.text, samples: [] };
      families.set(typeName, current);
    } else {
      const sample = readSample(line);
      if (current === undefined || !belongs(sample, current)) throw new Error(`out of place: ${line}`);
      const identity = `${sample.name} ${identityOf(sample.labels)}`;
      if (seen.has(identity)) throw new Error(`twice: ${line}`);
      seen.add(identity);
      current.samples.push(sample);
    }
  }
  for (const family of families.values()) if (family.type === "histogram") checkHistogram(family);
  return families;
}

function readSample(line: string): Sample {
  const [, name, labelText = "", valueText = ""] = sampleLine.exec(line) ?? [];
  if (name === undefined) throw new Error(`no sample: ${line}`);
  const value = valueText === "+Inf" ? Number.POSITIVE_INFINITY : Number(valueText);
  if (Number.isNaN(value) && valueText !== "NaN") throw new Error(`no number: ${line}`);
  return { name, labels: readLabels(labelText, line), value };
}

function readLabels(text: string, line: string): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  labelPart.lastIndex = 0;
  for (let at = 0; at < text.length; at = labelPart.lastIndex) {
    labelPart.lastIndex = at;
    const [, name, value] = labelPart.exec(text) ?? [];
    if (name === undefined || value === undefined) throw new Error(`bad labels: ${line}`);
    if (name in labels) throw new Error(`a label twice: ${line}`);
    labels[name] = value.replace(/\\(["\\n])/g, (_, character) => (character === "n" ? "\n" : character));
  }
  return labels;
}

function belongs({ name, labels }: Sample, { name: family, type }: Family): boolean {
  if (type !== "histogram") return name === family;
  return name === `${family}_bucket` ? "le" in labels : name === `${family}_sum` || name === `${family}_count`;
}

function checkHistogram({ name, samples }: Family): void {
  const bucketsOf = new Map<string, Sample[]>();
  for (const sample of samples.filter((each) => each.name === `${name}_bucket`)) {
    const { le: _bound, ...labels } = sample.labels;
    bucketsOf.set(identityOf(labels), [...(bucketsOf.get(identityOf(labels)) ?? []), sample]);
  }
  for (const { labels, value } of samples.filter((each) => each.name === `${name}_count`)) {
    const own = bucketsOf.get(identityOf(labels)) ?? [];
    const bounds = own.map(({ labels: { le } }) => (le === "+Inf" ? Number.POSITIVE_INFINITY : Number(le)));
    if (bounds.at(-1) !== Number.POSITIVE_INFINITY) throw new Error(`${name} has no last bucket`);
    if (bounds.some((bound, at) => at > 0 && bound <= (bounds[at - 1] ?? 0)))
      throw new Error(`${name} is not in order`);
    if (own.at(-1)?.value !== value) throw new Error(`${name} does not add up`);
  }
}

function identityOf(labels: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.entries(labels).sort());
}
