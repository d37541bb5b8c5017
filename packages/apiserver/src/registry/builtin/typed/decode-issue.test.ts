import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { describe, expect, it } from "vitest";
import { builtinKinds } from "../builtin-kinds.ts";

const digits = 2n ** 64n;
const noAmount =
  "spec.containers[0].resources.limits[cpu]: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/** Kind, the invalid part, and the message. */
const misfits: Record<string, [kind: string, part: JsonObject, message: string]> = {
  "a number for a string": ["ConfigMap", { data: { x: 1 } }, "data[x]: expected string, got number"],
  "a list for a map": ["ConfigMap", { data: ["x"] }, "data: expected object, got array"],
  "the first of two": [
    "ConfigMap",
    { metadata: { labels: { a: {} } }, data: "x" },
    "metadata.labels[a]: expected string, got object",
  ],
  "a number for a time": [
    "ConfigMap",
    { metadata: { creationTimestamp: 3 } },
    "metadata.creationTimestamp: expected a time in RFC 3339 format, got number",
  ],
  "a string that is not a time": [
    "ConfigMap",
    { metadata: { creationTimestamp: "abc" } },
    'metadata.creationTimestamp: expected a time in RFC 3339 format, got "abc"',
  ],
  "bytes that are not base64": ["Secret", { data: { x: "%%" } }, "data[x]: expected base64"],
  "truncated base64": ["Secret", { data: { x: "YWI" } }, "data[x]: expected base64"],
  "a number for bytes": ["Secret", { data: { x: 5 } }, "data[x]: expected string, got number"],
  "a string for a number": [
    "Deployment",
    { spec: { replicas: "x" } },
    "spec.replicas: expected 32-bit integer, got string",
  ],
  "a fraction for an integer": [
    "Deployment",
    { spec: { replicas: 1.5 } },
    "spec.replicas: expected 32-bit integer, got 1.5",
  ],
  "an integer that is too large": [
    "Deployment",
    { spec: { replicas: 3_000_000_000 } },
    "spec.replicas: expected 32-bit integer, got 3000000000",
  ],
  "an integer beyond 64 bits": [
    "Pod",
    { spec: { terminationGracePeriodSeconds: digits } },
    `spec.terminationGracePeriodSeconds: expected 64-bit integer, got ${digits}`,
  ],
  "an object for a list": [
    "Deployment",
    { spec: { template: { spec: { containers: { a: 1 } } } } },
    "spec.template.spec.containers: expected array, got object",
  ],
  "a number in a list": [
    "Deployment",
    { spec: { template: { spec: { containers: [{ name: 1 }] } } } },
    "spec.template.spec.containers[0].name: expected string, got number",
  ],
  "an invalid quantity": ["Pod", { spec: { containers: [{ resources: { limits: { cpu: "abc" } } }] } }, noAmount],
  "true for a quantity": ["Pod", { spec: { containers: [{ resources: { limits: { cpu: true } } }] } }, noAmount],
  "true for a port": [
    "Service",
    { spec: { ports: [{ targetPort: true }] } },
    "spec.ports[0].targetPort: expected 32-bit integer or string, got boolean",
  ],
  "a fraction for a port": [
    "Service",
    { spec: { ports: [{ targetPort: 1.5 }] } },
    "spec.ports[0].targetPort: expected 32-bit integer or string, got 1.5",
  ],
  "a string for a struct": ["Pod", { spec: "x" }, "spec: expected object, got string"],
  "a list for a named type": [
    "Pod",
    { spec: { restartPolicy: [1] } },
    "spec.restartPolicy: expected string, got array",
  ],
  "a string for a boolean": ["Pod", { spec: { hostNetwork: "yes" } }, "spec.hostNetwork: expected boolean, got string"],
  "a string for metadata": ["Pod", { metadata: "x" }, "metadata: expected object, got string"],
  "a date for a time": [
    "Lease",
    { spec: { renewTime: "2020-01-01" } },
    'spec.renewTime: expected a time in RFC 3339 format with microseconds, got "2020-01-01"',
  ],
  "a time without microseconds": [
    "Lease",
    { spec: { renewTime: "2020-01-01T00:00:00Z" } },
    'spec.renewTime: expected a time in RFC 3339 format with microseconds, got "2020-01-01T00:00:00Z"',
  ],
  "a day that does not exist in its month": [
    "ConfigMap",
    { metadata: { creationTimestamp: "2023-02-29T00:00:00Z" } },
    'metadata.creationTimestamp: expected a time in RFC 3339 format, got "2023-02-29T00:00:00Z"',
  ],
  "a string for a schema": [
    "CustomResourceDefinition",
    { spec: { versions: [{ schema: { openAPIV3Schema: { additionalProperties: "x" } } }] } },
    "spec.versions[0].schema.openAPIV3Schema.additionalProperties: expected object or boolean, got string",
  ],
  "a number deep in a schema": [
    "CustomResourceDefinition",
    {
      spec: {
        versions: [{ schema: { openAPIV3Schema: { properties: { a: { properties: { b: { maxLength: "1" } } } } } } }],
      },
    },
    "spec.versions[0].schema.openAPIV3Schema.properties[a].properties[b].maxLength: expected 64-bit integer, got string",
  ],
  "a number in a recursive schema": [
    "CustomResourceDefinition",
    { spec: { versions: [{ schema: { openAPIV3Schema: { additionalProperties: { type: 3 } } } }] } },
    "spec.versions[0].schema.openAPIV3Schema.additionalProperties.type: expected string, got number",
  ],
};

function decode(kind: string, part: JsonObject): string | undefined {
  const found = builtinKinds.find((each) => each.kind === kind);
  return found?.decodeIssue?.({ kind, ...part });
}

describe("an object that does not match its types", () => {
  for (const [name, [kind, part, message]] of Object.entries(misfits)) {
    it(name, () => {
      expect(decode(kind, part)).toBe(`${kind} in version "v1" cannot be handled as a ${kind}: ${message}`);
    });
  }
});

describe("an object that matches its types", () => {
  const fits: Record<string, [kind: string, part: JsonObject]> = {
    "nulls everywhere": ["Pod", { metadata: null, spec: { containers: [null], nodeSelector: null } }],
    "unknown fields of any form": ["ConfigMap", { foo: { bar: [1] }, metadata: { baz: 1 } }],
    "numbers for quantities": [
      "Pod",
      { spec: { containers: [{ resources: { limits: { cpu: 0.5, memory: 10n ** 18n } } }] } },
    ],
    "line breaks in base64": ["Secret", { data: { x: "YW\nJj\r\n" } }],
    "times with zones and fractions": [
      "ConfigMap",
      { metadata: { creationTimestamp: "2024-02-29T23:59:59.123+02:00" } },
    ],
    "boolean schemas": [
      "CustomResourceDefinition",
      {
        spec: { versions: [{ schema: { openAPIV3Schema: { additionalProperties: true, items: { default: [1] } } } }] },
      },
    ],
  };
  for (const [name, [kind, part]] of Object.entries(fits)) {
    it(name, () => {
      expect(decode(kind, part)).toBeUndefined();
    });
  }
});
