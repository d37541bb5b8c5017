import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../protocol/json-value.ts";
import { builtinKinds } from "../builtin-kinds.ts";

const digits = 2n ** 64n;
const cannot = "json: cannot unmarshal";
const quantityFormat = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/** Kind, the part that does not fit, and what Go says of it. */
const misfits: Record<string, [kind: string, part: JsonObject, message: string]> = {
  "a number for a text": [
    "ConfigMap",
    { data: { x: 1 } },
    `${cannot} number into Go struct field ConfigMap.data of type string`,
  ],
  "a list for a map": [
    "ConfigMap",
    { data: ["x"] },
    `${cannot} array into Go struct field ConfigMap.data of type map[string]string`,
  ],
  "the first of two": [
    "ConfigMap",
    { metadata: { labels: { a: {} } }, data: "x" },
    `${cannot} object into Go struct field ObjectMeta.metadata.labels of type string`,
  ],
  "a number for a time": [
    "ConfigMap",
    { metadata: { creationTimestamp: 3 } },
    `${cannot} number into Go struct field ObjectMeta.metadata.creationTimestamp of type string`,
  ],
  "a text that is no time": [
    "ConfigMap",
    { metadata: { creationTimestamp: "abc" } },
    'parsing time "abc" as "2006-01-02T15:04:05Z07:00": cannot parse "abc" as "2006"',
  ],
  "an unreadable value after a misfit": [
    "ConfigMap",
    { data: 1, metadata: { creationTimestamp: "abc" } },
    'parsing time "abc" as "2006-01-02T15:04:05Z07:00": cannot parse "abc" as "2006"',
  ],
  "bytes that are no base64": ["Secret", { data: { x: "%%" } }, "illegal base64 data at input byte 0"],
  "base64 that breaks off": ["Secret", { data: { x: "YWI" } }, "illegal base64 data at input byte 0"],
  "a number for bytes": [
    "Secret",
    { data: { x: 5 } },
    `${cannot} number into Go struct field Secret.data of type []uint8`,
  ],
  "a text for a number": [
    "Deployment",
    { spec: { replicas: "x" } },
    `${cannot} string into Go struct field DeploymentSpec.spec.replicas of type int32`,
  ],
  "a fraction for an integer": [
    "Deployment",
    { spec: { replicas: 1.5 } },
    `${cannot} number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32`,
  ],
  "an integer that is too large": [
    "Deployment",
    { spec: { replicas: 3_000_000_000 } },
    `${cannot} number 3000000000 into Go struct field DeploymentSpec.spec.replicas of type int32`,
  ],
  "an integer beyond 64 bits": [
    "Pod",
    { spec: { terminationGracePeriodSeconds: digits } },
    `${cannot} number ${digits} into Go struct field PodSpec.spec.terminationGracePeriodSeconds of type int64`,
  ],
  "an object for a list": [
    "Deployment",
    { spec: { template: { spec: { containers: { a: 1 } } } } },
    `${cannot} object into Go struct field PodSpec.spec.template.spec.containers of type []v1.Container`,
  ],
  "a number in a list": [
    "Deployment",
    { spec: { template: { spec: { containers: [{ name: 1 }] } } } },
    `${cannot} number into Go struct field Container.spec.template.spec.containers.name of type string`,
  ],
  "no amount": ["Pod", { spec: { containers: [{ resources: { limits: { cpu: "abc" } } }] } }, quantityFormat],
  "true for an amount": ["Pod", { spec: { containers: [{ resources: { limits: { cpu: true } } }] } }, quantityFormat],
  "true for a port": [
    "Service",
    { spec: { ports: [{ targetPort: true }] } },
    `${cannot} bool into Go struct field ServicePort.spec.ports.targetPort of type int32`,
  ],
  "a fraction for a port": [
    "Service",
    { spec: { ports: [{ targetPort: 1.5 }] } },
    `${cannot} number 1.5 into Go struct field ServicePort.spec.ports.targetPort of type int32`,
  ],
  "a text for a struct": ["Pod", { spec: "x" }, `${cannot} string into Go struct field Pod.spec of type v1.PodSpec`],
  "a list for a named type": [
    "Pod",
    { spec: { restartPolicy: [1] } },
    `${cannot} array into Go struct field PodSpec.spec.restartPolicy of type v1.RestartPolicy`,
  ],
  "a text for a switch": [
    "Pod",
    { spec: { hostNetwork: "yes" } },
    `${cannot} string into Go struct field PodSpec.spec.hostNetwork of type bool`,
  ],
  "a text for metadata": [
    "Pod",
    { metadata: "x" },
    `${cannot} string into Go struct field Pod.metadata of type v1.ObjectMeta`,
  ],
  "a day for a moment": [
    "Lease",
    { spec: { renewTime: "2020-01-01" } },
    'parsing time "2020-01-01" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "" as "T"',
  ],
  "seconds for microseconds": [
    "Lease",
    { spec: { renewTime: "2020-01-01T00:00:00Z" } },
    'parsing time "2020-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
  ],
  "a day that is not in its month": [
    "ConfigMap",
    { metadata: { creationTimestamp: "2023-02-29T00:00:00Z" } },
    'parsing time "2023-02-29T00:00:00Z": day out of range',
  ],
  "a text for a schema": [
    "CustomResourceDefinition",
    { spec: { versions: [{ schema: { openAPIV3Schema: { additionalProperties: "x" } } }] } },
    "boolean or JSON schema expected",
  ],
  "a number deep in a schema": [
    "CustomResourceDefinition",
    {
      spec: {
        versions: [{ schema: { openAPIV3Schema: { properties: { a: { properties: { b: { maxLength: "1" } } } } } } }],
      },
    },
    `${cannot} string into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.properties.maxLength of type int64`,
  ],
  "a number in a schema that reads itself": [
    "CustomResourceDefinition",
    { spec: { versions: [{ schema: { openAPIV3Schema: { additionalProperties: { type: 3 } } } }] } },
    `${cannot} number into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.additionalProperties of type string`,
  ],
};

function decode(kind: string, part: JsonObject): string | undefined {
  const found = builtinKinds.find((each) => each.kind === kind);
  return found?.decodeIssue?.({ kind, ...part });
}

describe("what Go cannot decode", () => {
  for (const [name, [kind, part, message]] of Object.entries(misfits)) {
    it(name, () => {
      expect(decode(kind, part)).toBe(`${kind} in version "v1" cannot be handled as a ${kind}: ${message}`);
    });
  }
});

describe("what Go decodes", () => {
  const fits: Record<string, [kind: string, part: JsonObject]> = {
    "nulls everywhere": ["Pod", { metadata: null, spec: { containers: [null], nodeSelector: null } }],
    "unknown fields of any form": ["ConfigMap", { foo: { bar: [1] }, metadata: { baz: 1 } }],
    "numbers for amounts": [
      "Pod",
      { spec: { containers: [{ resources: { limits: { cpu: 0.5, memory: 10n ** 18n } } }] } },
    ],
    "line breaks in base64": ["Secret", { data: { x: "YW\nJj\r\n" } }],
    "times with zones and fractions": [
      "ConfigMap",
      { metadata: { creationTimestamp: "2024-02-29T23:59:59.123+02:00" } },
    ],
    "schemas that are switches": [
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
