import { describe, expect, it } from "vitest";
import { issueText } from "../field-issue.ts";
import { dnsSubdomain } from "../names.ts";
import type { ObjectMeta } from "../object-meta.ts";
import { sentMetadataIssues } from "./metadata-rules.ts";

describe("metadata", () => {
  const cases: Record<string, [metadata: ObjectMeta, scope: "Namespaced" | "Cluster", issues: (string | RegExp)[]]> = {
    "is valid": [
      { name: "a.b", namespace: "n", labels: { "a.io/b": "c" }, annotations: { "A.io/b": "any thing" } },
      "Namespaced",
      [],
    ],
    "may use generateName": [{ generateName: "web-" }, "Cluster", []],
    "requires a name": [{}, "Cluster", ["metadata.name: Required value: name or generateName is required"]],
    "requires a valid name": [
      { name: "Bad_Name" },
      "Cluster",
      [/^metadata\.name: Invalid value: "Bad_Name": a lowercase RFC 1123 subdomain/],
    ],
    "requires a valid generateName": [
      { generateName: "Bad-" },
      "Cluster",
      [/^metadata\.generateName: Invalid value: "Bad-": a lowercase/],
    ],
    "requires a valid namespace": [
      { name: "a", namespace: "a.b" },
      "Namespaced",
      ['metadata.namespace: Invalid value: "a.b": must not contain dots'],
    ],
    "has no namespace if cluster-scoped": [
      { name: "a", namespace: "b" },
      "Cluster",
      ["metadata.namespace: Forbidden: not allowed on this type"],
    ],
    "requires valid labels": [
      { name: "a", labels: { "a b": "c d" } },
      "Cluster",
      [/^metadata\.labels: Invalid value: "a b": name part/, /^metadata\.labels: Invalid value: "c d": a valid label/],
    ],
    "requires valid annotation keys": [
      { name: "a", annotations: { "a/b/c": "" } },
      "Cluster",
      [/^metadata\.annotations: Invalid value: "a\/b\/c": a qualified name/],
    ],
    "requires complete owner references": [
      { name: "a", ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "b", uid: "" }] },
      "Cluster",
      ['metadata.ownerReferences.uid: Invalid value: "": must not be empty'],
    ],
    "requires valid finalizers": [
      { name: "a", finalizers: ["a.io/b", "c d"] },
      "Cluster",
      [/^metadata\.finalizers: Invalid value: "c d": name part/],
    ],
    "counts annotations in bytes": [
      { name: "a", annotations: { a: "é".repeat(131_072) } },
      "Cluster",
      ["metadata.annotations: Too long: may not be more than 262144 bytes"],
    ],
    "may not be too long": [
      { name: "a", annotations: { a: "x".repeat(262_144) } },
      "Cluster",
      ["metadata.annotations: Too long: may not be more than 262144 bytes"],
    ],
  };
  for (const [name, [metadata, scope, issues]] of Object.entries(cases)) {
    it(name, () => {
      const expected = issues.map((issue) => (typeof issue === "string" ? issue : expect.stringMatching(issue)));
      const kind = { group: "example.com", isCustom: true, scope, nameRule: dnsSubdomain };
      expect(sentMetadataIssues(metadata, kind).map(issueText)).toEqual(expected);
    });
  }
});
