const uid = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const time = /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/g;

const age = /^(?:\d+[smhd])+$/;

/** Keys whose values differ between servers and runs. Only their presence is compared. */
const changing = new Set([
  "description",
  "resourceVersion",
  "uid",
  "creationTimestamp",
  "deletionTimestamp",
  "time",
  "continue",
  "storageVersionHash",
  "clusterIP",
  "clusterIPs",
  "serverAddress",
]);

/** Replaces all values of a response that differ between runs. */
export function normalized(value: unknown, kept: Readonly<Record<string, string>>): unknown {
  return visit(value, "", kept);
}

function visit(value: unknown, key: string, kept: Readonly<Record<string, string>>): unknown {
  // The embedded server has its own descriptions.
  if (key === "description") return "";
  if (key === "cells" && typeof value === "string" && age.test(value)) return "<age>";
  if (key === "causes" && Array.isArray(value)) return distinct(value.map((cause) => visit(cause, "", kept)));
  if (key === "managedFields" && Array.isArray(value)) return byManager(value.map((entry) => visit(entry, "", kept)));
  if (typeof value === "string") return changing.has(key) && value !== "" ? `<${key}>` : text(value, kept);
  if (Array.isArray(value)) return value.map((item) => visit(item, key, kept));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [text(name, kept), visit(member, name, kept)] as const);
  return Object.fromEntries(members.sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** Entries are ordered by time with a resolution of seconds, so their order is random for writes of the same second. */
function byManager(entries: readonly unknown[]): readonly unknown[] {
  const manager = (entry: unknown): string => {
    const { manager: name, operation, subresource, apiVersion } = entry as Readonly<Record<string, string>>;
    return [name, operation, subresource, apiVersion].join("/");
  };
  return [...entries].sort((left, right) => (manager(left) < manager(right) ? -1 : 1));
}

/** Kubernetes validates metadata up to three times and repeats the causes. */
function distinct(causes: readonly unknown[]): readonly unknown[] {
  const texts = new Set<string>();
  return causes.filter((cause) => {
    const known = JSON.stringify(cause);
    return !texts.has(known) && texts.add(known);
  });
}

function text(value: string, kept: Readonly<Record<string, string>>): string {
  let result = value.replace(uid, "<uid>").replace(time, "<time>");
  for (const [name, known] of Object.entries(kept)) {
    if (known.length > 2) result = result.replaceAll(known, `<${name}>`);
  }
  return (
    result
      .replace(/(generated-|Bad_)[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, "$1<suffix>")
      // A whole object as text, whose key order differs between the servers.
      .replace(/patch: Invalid value: "\{.*\}": /g, 'patch: Invalid value: "<object>": ')
      .replace(/^Invalid value: "\{\\".*\}": /, 'Invalid value: "<object>": ')
      .replace(/in record \(\d+\)/g, "in record (<revision>)")
      .replace(/(resource version: |current: |too old resource version: )\d+( \(\d+\))?/g, "$1<revision>")
  );
}
