import type { Component } from "./component.ts";

/** Query parameters. */
const described: Readonly<Record<string, readonly [type: "string" | "integer" | "boolean", description: string]>> = {
  allowWatchBookmarks: ["boolean", "Whether a watch also tells how far it got."],
  continue: ["string", "Where the next page starts, as the page before said."],
  dryRun: ["string", "All: do everything but the write."],
  fieldManager: ["string", "Who makes the change."],
  fieldSelector: ["string", "Only objects with these values of fields."],
  fieldValidation: ["string", "What to do about unknown fields: Ignore, Warn or Strict."],
  force: ["boolean", "Whether an apply takes fields from other managers."],
  gracePeriodSeconds: ["integer", "How long an object may take to go."],
  labelSelector: ["string", "Only objects with these labels."],
  limit: ["integer", "How many objects a page may have."],
  orphanDependents: ["boolean", "Whether dependents stay. Use propagationPolicy."],
  pretty: ["string", "Whether the answer is indented."],
  propagationPolicy: ["string", "What becomes of dependents: Orphan, Background or Foreground."],
  resourceVersion: ["string", "The revision to read at, or to watch from."],
  resourceVersionMatch: ["string", "How exactly the revision is meant: Exact or NotOlderThan."],
  sendInitialEvents: ["boolean", "Whether a watch starts with all objects there are."],
  timeoutSeconds: ["integer", "How long a list or watch may take."],
  watch: ["boolean", "Whether to go on with changes."],
};

export const writeParameters = ["dryRun", "fieldManager", "fieldValidation"];
export const deleteParameters = ["dryRun", "gracePeriodSeconds", "orphanDependents", "propagationPolicy"];
export const listParameters = [
  "allowWatchBookmarks",
  "continue",
  "fieldSelector",
  "labelSelector",
  "limit",
  "resourceVersion",
  "resourceVersionMatch",
  "sendInitialEvents",
  "timeoutSeconds",
  "watch",
];

export function queryParameters(names: readonly string[]): readonly Component[] {
  return names.map((name) => {
    const [type, description] = described[name] ?? ["string", ""];
    return { name, in: "query", description, schema: { type, uniqueItems: true } };
  });
}

/** Path parameters. */
export function pathParameters(path: string): readonly Component[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    description: name === "name" ? "The name of the object." : "The namespace of the object.",
    required: true,
    schema: { type: "string", uniqueItems: true },
  }));
}
