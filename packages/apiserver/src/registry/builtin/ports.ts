import { type FieldIssue, invalid } from "@milo-quota/kubernetes/protocol/field-issue.ts";

/** In the order in which messages list them. */
export const protocols: readonly string[] = ["SCTP", "TCP", "UDP"];

export function portNumberIssues(path: string, port: number): readonly FieldIssue[] {
  return port >= 1 && port <= 65_535 ? [] : [invalid(path, port, "must be between 1 and 65535, inclusive")];
}

/** The issues of a port name, in the words of Kubernetes. */
export function portNameProblems(name: string): readonly string[] {
  return [
    ...(name.length > 15 ? ["must be no more than 15 characters"] : []),
    ...(/^[-a-z0-9]+$/.test(name) ? [] : ["must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"]),
    ...(/[a-z]/.test(name) ? [] : ["must contain at least one letter (a-z)"]),
    ...(name.includes("--") ? ["must not contain consecutive hyphens"] : []),
    ...(name.startsWith("-") || name.endsWith("-") ? ["must not begin or end with a hyphen"] : []),
  ];
}
