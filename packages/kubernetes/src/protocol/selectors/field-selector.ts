import type { SelectorResult } from "./label-selector-text.ts";

export interface FieldRequirement {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/** `metadata.name=web,spec.type!=ClusterIP`, as sent by `kubectl get --field-selector`. */
export function parseFieldSelector(text: string): SelectorResult<readonly FieldRequirement[]> {
  const requirements: FieldRequirement[] = [];
  for (const term of splitTerms(text).filter((part) => part !== "")) {
    const match = /^(.*?)(!=|==|=)(.*)$/s.exec(term);
    if (match === null) return { ok: false, message: `invalid selector: '${text}'; can't understand '${term}'` };
    const value = unescapeValue(match[3] as string);
    if (!value.ok) return value;
    requirements.push({ field: match[1] as string, operator: match[2] === "!=" ? "!=" : "=", value: value.value });
  }
  return { ok: true, value: requirements };
}

/** `read` returns the value of a field, or the empty string. */
export function matchesFields(requirements: readonly FieldRequirement[], read: (field: string) => string): boolean {
  return requirements.every(({ field, operator, value }) => (read(field) === value) === (operator === "="));
}

export function formatFieldSelector(requirements: readonly FieldRequirement[]): string {
  return requirements.map(({ field, operator, value }) => `${field}${operator}${escapeValue(value)}`).join(",");
}

function escapeValue(value: string): string {
  return value.replace(/[\\,=]/g, "\\$&");
}

/** Splits at commas, but not at escaped ones. */
function splitTerms(text: string): string[] {
  return text.match(/(?:\\[\s\S]|[^\\,])+\\?|\\$/g) ?? [];
}

function unescapeValue(text: string): SelectorResult<string> {
  const bad = /\\(?![\\,=])[\s\S]?/.exec(text.replace(/\\[\\,=]/g, ""));
  if (bad !== null) {
    return { ok: false, message: `invalid field selector: invalid escape sequence: ${bad[0]}` };
  }
  const bare = /[,=]/.exec(text.replace(/\\[\s\S]/g, ""));
  if (bare !== null) {
    // Kubernetes prints the character's number.
    return { ok: false, message: `invalid field selector: unescaped character in value: ${bare[0].charCodeAt(0)}` };
  }
  return { ok: true, value: text.replace(/\\([\\,=])/g, "$1") };
}
