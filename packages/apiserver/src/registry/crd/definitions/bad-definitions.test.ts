import type { ApiObject } from "../../kinds/api-object.ts";
// Long because it is a table: every way a definition can be invalid, with Kubernetes' messages.

import { issueText } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { describe, expect, it } from "vitest";
import { definition, field, rule } from "../../../../test/definition-samples.ts";
import { definitionIssues } from "./crd-rules.ts";
import { prepareNewDefinition } from "./prepare-definition.ts";

/** The issues sorted by text; `S` stands for the schema, `F` for that of the field `f`. */
const bad: Record<string, [crd: ApiObject, issues: string[]]> = {
  "a name that is not plural and group": [
    definition({ metadata: { name: "foo.example.com" } }),
    ['metadata.name: Invalid value: "foo.example.com": must be spec.names.plural+"."+spec.group'],
  ],
  "no group": [
    definition({ spec: { group: "" } }),
    [
      'metadata.name: Invalid value: "foos.example.com": must be spec.names.plural+"."+spec.group',
      "spec.group: Required value",
    ],
  ],
  "a group without a dot": [
    definition({ metadata: { name: "foos.example" }, spec: { group: "example" } }),
    ['spec.group: Invalid value: "example": should be a domain with at least one dot'],
  ],
  "a group in capitals": [
    definition({ spec: { group: "Example.com" } }),
    [
      'metadata.name: Invalid value: "foos.example.com": must be spec.names.plural+"."+spec.group',
      "spec.group: Invalid value: \"Example.com\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  "no scope": [definition({ spec: { scope: "" } }), ["spec.scope: Required value"]],
  "an unknown scope": [
    definition({ spec: { scope: "namespaced" } }),
    ['spec.scope: Unsupported value: "namespaced": supported values: "Cluster", "Namespaced"'],
  ],
  "a plural in capitals": [
    definition({ names: { plural: "Foos" } }),
    [
      'metadata.name: Invalid value: "foos.example.com": must be spec.names.plural+"."+spec.group',
      "spec.names.plural: Invalid value: \"Foos\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  "a singular in capitals": [
    definition({ names: { singular: "Foo" } }),
    [
      "spec.names.singular: Invalid value: \"Foo\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  "a kind of two words": [
    definition({ names: { kind: "foo bar" } }),
    [
      "spec.names.kind: Invalid value: \"foo bar\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      "spec.names.listKind: Invalid value: \"foo barList\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      "spec.names.singular: Invalid value: \"foo bar\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  "no kind": [
    definition({ names: { kind: "" } }),
    ["spec.names.kind: Required value", "spec.names.listKind: Required value", "spec.names.singular: Required value"],
  ],
  "a list kind that is the kind": [
    definition({ names: { listKind: "Foo" } }),
    ['spec.names.listKind: Invalid value: "Foo": kind and listKind may not be the same'],
  ],
  "a short name of two words": [
    definition({ names: { shortNames: ["ok", "Not OK"] } }),
    [
      "spec.names.shortNames[1]: Invalid value: \"Not OK\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  "a category in capitals": [
    definition({ names: { categories: ["A"] } }),
    [
      "spec.names.categories[0]: Invalid value: \"A\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  "a kind too long": [
    definition({ names: { kind: "FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF" } }),
    [
      'spec.names.kind: Invalid value: "FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF": may have mixed case, but should otherwise match: must be no more than 63 characters',
      'spec.names.listKind: Invalid value: "FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFList": may have mixed case, but should otherwise match: must be no more than 63 characters',
      'spec.names.singular: Invalid value: "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff": must be no more than 63 characters',
    ],
  ],
  "no plural": [
    definition({ names: { plural: "" } }),
    [
      'metadata.name: Invalid value: "foos.example.com": must be spec.names.plural+"."+spec.group',
      "spec.names.plural: Required value",
    ],
  ],
  "a group of Kubernetes without approval": [
    definition({ metadata: { name: "foos.x.k8s.io" }, spec: { group: "x.k8s.io" } }),
    [
      'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
    ],
  ],
  "a group of Kubernetes with an invalid approval": [
    definition({
      metadata: { name: "foos.x.k8s.io", annotations: { "api-approved.kubernetes.io": "nope" } },
      spec: { group: "x.k8s.io" },
    }),
    [
      'metadata.annotations[api-approved.kubernetes.io]: Invalid value: "nope": protected groups must have approval annotation "api-approved.kubernetes.io" with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111',
    ],
  ],
  "no versions": [
    definition({ spec: { versions: [] } }),
    [
      "spec.versions: Invalid value: []: must have exactly one version marked as storage version",
      "status.storedVersions: Invalid value: null: must have at least one stored version",
    ],
  ],
  "no version to store": [
    definition({
      spec: {
        versions: [{ name: "v1", served: true, storage: false, schema: { openAPIV3Schema: { type: "object" } } }],
      },
    }),
    [
      'spec.versions: Invalid value: ["v1"]: must have exactly one version marked as storage version',
      "status.storedVersions: Invalid value: null: must have at least one stored version",
    ],
  ],
  "two versions to store": [
    definition({
      spec: {
        versions: [
          { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
          { name: "v2", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
        ],
      },
    }),
    [
      'spec.versions: Invalid value: ["v1","v2"]: must have exactly one version marked as storage version',
      'status.storedVersions: Invalid value: ["v1"]: must have the storage version v2',
    ],
  ],
  "a version twice": [
    definition({
      spec: {
        versions: [
          { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
          { name: "v1", served: true, storage: false, schema: { openAPIV3Schema: { type: "object" } } },
        ],
      },
    }),
    ['spec.versions: Invalid value: ["v1","v1"]: must contain unique version names'],
  ],
  "a version in capitals": [
    definition({
      spec: {
        versions: [{ name: "V1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
      },
    }),
    [
      "spec.version: Invalid value: \"V1\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      "spec.versions[0].name: Invalid value: \"V1\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  "a version that is a number": [
    definition({
      spec: {
        versions: [
          { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
          { name: "2", served: true, storage: false, schema: { openAPIV3Schema: { type: "object" } } },
        ],
      },
    }),
    [
      "spec.versions[1].name: Invalid value: \"2\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  "no schema": [
    definition({ spec: { versions: [{ name: "v1", served: true, storage: true }] } }),
    ["spec.versions[0].schema.openAPIV3Schema: Required value"],
  ],
  "an empty schema": [
    definition({ spec: { versions: [{ name: "v1", served: true, storage: true, schema: {} }] } }),
    ["spec.versions[0].schema.openAPIV3Schema: Required value"],
  ],
  "no schema in one of two versions": [
    definition({
      spec: {
        versions: [
          { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
          { name: "v2", served: true, storage: false },
        ],
      },
    }),
    ["spec.versions[1].schema.openAPIV3Schema: Required value"],
  ],
  "a deprecation warning of a version that is not deprecated": [
    definition({ version: { deprecationWarning: "x" } }),
    ['spec.versions[0].deprecationWarning: Invalid value: "x": can only be set for deprecated versions'],
  ],
  "an empty deprecation warning": [
    definition({ version: { deprecated: true, deprecationWarning: "" } }),
    ['spec.versions[0].deprecationWarning: Invalid value: "": must not be an empty string'],
  ],
  "a deprecation warning too long": [
    definition({
      version: {
        deprecated: true,
        deprecationWarning:
          "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
      },
    }),
    [
      'spec.versions[0].deprecationWarning: Invalid value: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx": must be <= 256 characters long',
    ],
  ],
  "a deprecation warning with a control character": [
    definition({ version: { deprecated: true, deprecationWarning: "é\u0007x" } }),
    [
      'spec.versions[0].deprecationWarning: Invalid value: "é\\u0007x": must only contain printable UTF-8 characters; non-printable character found at index 2',
    ],
  ],
  "spec.preserveUnknownFields": [
    definition({ spec: { preserveUnknownFields: true } }),
    [
      "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
    ],
  ],
  "spec.preserveUnknownFields with defaults": [
    definition({
      schema: { type: "object", properties: { f: { type: "string", default: "x" } } },
      spec: { preserveUnknownFields: true },
    }),
    [
      "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
      "spec.preserveUnknownFields: Invalid value: true: must be false in order to use defaults in the schema",
    ],
  ],
  "an unknown conversion": [
    definition({ spec: { conversion: { strategy: "Magic" } } }),
    ['spec.conversion.strategy: Unsupported value: "Magic": supported values: "None", "Webhook"'],
  ],
  "a webhook without its strategy": [
    definition({
      spec: {
        conversion: {
          strategy: "None",
          webhook: { clientConfig: { url: "https://x" }, conversionReviewVersions: ["v1"] },
        },
      },
    }),
    [
      "spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook",
      "spec.conversion.webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook",
    ],
  ],
  "a conversion without a strategy": [
    definition({ spec: { conversion: {} } }),
    ["spec.conversion.strategy: Required value"],
  ],
  "a text at the root": [
    definition({ schema: { type: "string" } }),
    ['S.type: Invalid value: "string": must be object at the root'],
  ],
  "no type at the root": [definition({ schema: {} }), ["S.type: Required value: must not be empty at the root"]],
  "a map at the root": [
    definition({ schema: { type: "object", additionalProperties: { type: "string" } } }),
    ["S.additionalProperties: Forbidden: must not be used at the root"],
  ],
  "null at the root": [
    definition({ schema: { type: "object", nullable: true } }),
    ["S.nullable: Forbidden: nullable cannot be true at the root"],
  ],
  "a list at the root": [
    definition({ schema: { type: "array", items: { type: "string" } } }),
    ['S.type: Invalid value: "array": must be object at the root'],
  ],
  "a text at the root, with a status": [
    definition({ version: { subresources: { status: {} } }, schema: { type: "string" } }),
    [
      'S.type: Invalid value: "string": must be object at the root',
      'S.type: Invalid value: "string": only "object" is allowed as the type at the root of the schema if the status subresource is enabled',
    ],
  ],
  "a field without a type": [field({}), ["F.type: Required value: must not be empty for specified object fields"]],
  "items without a type": [
    field({ type: "array", items: {} }),
    ["F.items.type: Required value: must not be empty for specified array items"],
  ],
  "a list without items": [field({ type: "array" }), ["F.items: Required value: must be specified"]],
  "items in a list": [
    field({ type: "array", items: [{ type: "string" }] }),
    ["F.items: Forbidden: items must be a schema object and not an array"],
  ],
  "values of a map without a type": [
    field({ type: "object", additionalProperties: {} }),
    ["F.additionalProperties.type: Required value: must not be empty for specified object fields"],
  ],
  "an unknown type": [
    field({ type: "text" }),
    [
      'F.type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"',
    ],
  ],
  "the type null": [
    field({ type: "null" }),
    [
      "F.type: Forbidden: type cannot be set to null, use nullable as an alternative",
      'F.type: Unsupported value: "null": supported values: "array", "boolean", "integer", "number", "object", "string"',
    ],
  ],
  "properties and a map": [
    field({ type: "object", properties: { a: { type: "string" } }, additionalProperties: { type: "string" } }),
    ["F.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive"],
  ],
  "properties and no others": [
    field({ type: "object", properties: { a: { type: "string" } }, additionalProperties: false }),
    ["F.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive"],
  ],
  "unique items": [
    field({ type: "array", uniqueItems: true, items: { type: "string" } }),
    ["F.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic"],
  ],
  "a reference": [field({ $ref: "#/x" }), ["F.$ref: Forbidden: $ref is not supported"]],
  "an id": [field({ type: "string", id: "x" }), ["F.id: Forbidden: id is not supported"]],
  "a schema of schemas": [
    field({ type: "string", $schema: "x" }),
    ["S: Invalid value: \"\": OpenAPIV3Schema 'schema' is not supported"],
  ],
  definitions: [
    field({ type: "object", definitions: { a: { type: "string" } } }),
    ["F.definitions: Forbidden: definitions is not supported"],
  ],
  dependencies: [
    field({ type: "object", dependencies: { a: ["b"] } }),
    ["F.dependencies: Forbidden: dependencies is not supported"],
  ],
  "pattern properties": [
    field({ type: "object", patternProperties: { a: { type: "string" } } }),
    ["F.patternProperties: Forbidden: patternProperties is not supported"],
  ],
  "additional items": [
    field({ type: "array", items: { type: "string" }, additionalItems: true }),
    ["F.additionalItems: Forbidden: additionalItems is not supported"],
  ],
  "a pattern with an open bracket": [
    field({ type: "string", pattern: "(" }),
    [
      'F.pattern: Invalid value: "(": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ): `(`',
    ],
  ],
  "a pattern with a range backwards": [
    field({ type: "string", pattern: "a{2,1}" }),
    [
      'F.pattern: Invalid value: "a{2,1}": must be a valid regular expression, but isn\'t: error parsing regexp: invalid repeat count: `{2,1}`',
    ],
  ],
  "a pattern that looks ahead": [
    field({ type: "string", pattern: "(?=x)" }),
    [
      'F.pattern: Invalid value: "(?=x)": must be a valid regular expression, but isn\'t: error parsing regexp: invalid or unsupported Perl syntax: `(?=`',
    ],
  ],
  "a bad pattern below anyOf": [
    field({ type: "string", anyOf: [{ pattern: "[" }] }),
    [
      'F.anyOf[0].pattern: Invalid value: "[": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ]: `[`',
    ],
  ],
  "a pattern that repeats nothing": [
    field({ type: "string", pattern: "*" }),
    [
      'F.pattern: Invalid value: "*": must be a valid regular expression, but isn\'t: error parsing regexp: missing argument to repetition operator: `*`',
    ],
  ],
  "a pattern with letters backwards": [
    field({ type: "string", pattern: "[z-a]" }),
    [
      'F.pattern: Invalid value: "[z-a]": must be a valid regular expression, but isn\'t: error parsing regexp: invalid character class range: `z-a`',
    ],
  ],
  "a type below anyOf": [
    field({ type: "string", anyOf: [{ type: "string" }] }),
    ["F.anyOf[0].type: Forbidden: must be empty to be structural"],
  ],
  "keywords below allOf": [
    field({ type: "string", allOf: [{ description: "x", title: "y", nullable: true, default: "x" }] }),
    [
      "F.allOf[0].default: Forbidden: must be undefined to be structural",
      "F.allOf[0].description: Forbidden: must be empty to be structural",
      "F.allOf[0].nullable: Forbidden: must be false to be structural",
      "F.allOf[0].title: Forbidden: must be empty to be structural",
    ],
  ],
  "extensions below oneOf": [
    field({
      type: "object",
      oneOf: [
        {
          "x-kubernetes-preserve-unknown-fields": true,
          "x-kubernetes-embedded-resource": true,
          "x-kubernetes-int-or-string": true,
          "x-kubernetes-list-type": "set",
          "x-kubernetes-list-map-keys": ["a"],
          "x-kubernetes-map-type": "atomic",
          "x-kubernetes-validations": [{ rule: "true" }],
        },
      ],
    }),
    [
      "F.oneOf[0].type: Required value: must be array if x-kubernetes-list-type is specified",
      "F.oneOf[0].type: Required value: must be object if x-kubernetes-map-type is specified",
      "F.oneOf[0].x-kubernetes-embedded-resource: Forbidden: must be false to be structural",
      "F.oneOf[0].x-kubernetes-int-or-string: Forbidden: must be false to be structural",
      "F.oneOf[0].x-kubernetes-list-map-keys: Forbidden: must be empty to be structural",
      "F.oneOf[0].x-kubernetes-list-type: Forbidden: must be undefined to be structural",
      'F.oneOf[0].x-kubernetes-list-type: Invalid value: "set": must be map if x-kubernetes-list-map-keys is non-empty',
      "F.oneOf[0].x-kubernetes-map-type: Forbidden: must be undefined to be structural",
      "F.oneOf[0].x-kubernetes-preserve-unknown-fields: Forbidden: must be false to be structural",
      "F.oneOf[0].x-kubernetes-validations: Forbidden: must be empty to be structural",
    ],
  ],
  "a map below not": [
    field({ type: "object", not: { additionalProperties: { type: "string" } } }),
    ["F.not.additionalProperties: Forbidden: must be undefined to be structural"],
  ],
  "metadata below anyOf": [
    definition({ schema: { type: "object", anyOf: [{ properties: { metadata: { required: ["name"] } } }] } }),
    [
      "S.anyOf[0].properties[metadata]: Forbidden: must not be specified in a nested context",
      "S.properties[metadata]: Required value: because it is defined in spec.validation.openAPIV3Schema.anyOf[0].properties[metadata]",
    ],
  ],
  "types and properties two junctors down": [
    field({
      type: "object",
      properties: { a: { type: "string" } },
      allOf: [{ anyOf: [{ properties: { a: { type: "string" }, c: {} } }] }],
    }),
    ["F.allOf[0].anyOf[0].properties[a].type: Forbidden: must be empty to be structural"],
  ],
  "integer or string in the other order": [
    field({ "x-kubernetes-int-or-string": true, anyOf: [{ type: "string" }, { type: "integer" }] }),
    [
      "F.anyOf[0].type: Forbidden: must be empty to be structural",
      "F.anyOf[1].type: Forbidden: must be empty to be structural",
    ],
  ],
  "integer or string and everything else": [
    field({
      "x-kubernetes-int-or-string": true,
      "x-kubernetes-preserve-unknown-fields": true,
      "x-kubernetes-embedded-resource": true,
    }),
    [
      "F.type: Required value: must be object if x-kubernetes-embedded-resource is true",
      "F.x-kubernetes-embedded-resource: Invalid value: true: must be false if x-kubernetes-int-or-string is true",
      "F.x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if x-kubernetes-int-or-string is true",
    ],
  ],
  "unknown fields not preserved": [
    field({ type: "object", "x-kubernetes-preserve-unknown-fields": false }),
    ["F.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined"],
  ],
  "an embedded object without a type": [
    field({ "x-kubernetes-embedded-resource": true }),
    [
      "F.properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
      "F.type: Required value: must be object if x-kubernetes-embedded-resource is true",
    ],
  ],
  "an embedded object that is a text": [
    field({ type: "string", "x-kubernetes-embedded-resource": true }),
    [
      "F.properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
      'F.type: Invalid value: "string": must be object if x-kubernetes-embedded-resource is true',
    ],
  ],
  "an embedded object that is a map": [
    field({ type: "object", "x-kubernetes-embedded-resource": true, additionalProperties: { type: "string" } }),
    [
      "F.additionalProperties: Forbidden: must not be used if x-kubernetes-embedded-resource is set",
      "F.properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
    ],
  ],
  "an embedded object with invalid apiVersion, kind and metadata": [
    field({
      type: "object",
      "x-kubernetes-embedded-resource": true,
      properties: { apiVersion: { type: "integer" }, kind: { type: "object" }, metadata: { type: "string" } },
    }),
    [
      'F.properties[apiVersion].type: Invalid value: "integer": must be string',
      'F.properties[kind].type: Invalid value: "object": must be string',
      'F.properties[metadata].type: Invalid value: "string": must be object',
    ],
  ],
  "labels in the schema of metadata": [
    definition({
      schema: {
        type: "object",
        properties: { metadata: { type: "object", properties: { labels: { type: "object" } } } },
      },
    }),
    [
      "S.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified",
    ],
  ],
  "metadata with a description": [
    definition({ schema: { type: "object", properties: { metadata: { type: "object", description: "x" } } } }),
    [
      "S.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified",
    ],
  ],
  "apiVersion, kind and metadata of other types": [
    definition({
      schema: {
        type: "object",
        properties: { metadata: { type: "string" }, kind: { type: "integer" }, apiVersion: {} },
      },
    }),
    [
      'S.properties[apiVersion].type: Invalid value: "": must be string',
      "S.properties[apiVersion].type: Required value: must not be empty for specified object fields",
      'S.properties[kind].type: Invalid value: "integer": must be string',
      'S.properties[metadata].type: Invalid value: "string": must be object',
    ],
  ],
  "defaults of apiVersion, kind and metadata": [
    definition({
      schema: {
        type: "object",
        properties: { metadata: { type: "object", default: {} }, kind: { type: "string", default: "x" } },
      },
    }),
    [
      "S.properties[kind].default: Forbidden: must not be set in top-level kind",
      "S.properties[metadata].default: Forbidden: must not be set in top-level metadata",
    ],
  ],
  "metadata that is an embedded resource": [
    definition({
      schema: { type: "object", properties: { metadata: { type: "object", "x-kubernetes-embedded-resource": true } } },
    }),
    [
      "S.properties[metadata].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
      "S.properties[metadata].x-kubernetes-embedded-resource: Forbidden: must not be used inside of resource meta",
      "S.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified",
    ],
  ],
  "a default of another type": [
    field({ type: "string", default: 5 }),
    ['F.default: Invalid value: "integer":  in body must be of type string: "integer"'],
  ],
  "a default with unknown fields": [
    field({ type: "object", default: { a: 1 } }),
    ['F.default: Invalid value: {"a":1}: must not have unknown fields'],
  ],
  "a default too short": [
    field({ type: "string", default: "x", minLength: 3 }),
    ['F.default: Invalid value: "x":  in body should be at least 3 chars long'],
  ],
  "a default of items of another type": [
    field({ type: "array", items: { type: "string", default: 1 } }),
    ['F.items.default: Invalid value: "integer":  in body must be of type string: "integer"'],
  ],
  "two defaults of another type": [
    field({ type: "object", properties: { a: { type: "integer", default: "x" } }, default: { a: "y" } }),
    [
      'F.default.a: Invalid value: "string": a in body must be of type integer: "string"',
      'F.properties[a].default: Invalid value: "string":  in body must be of type integer: "string"',
    ],
  ],
  "a default that breaks a rule": [
    field({ type: "string", default: "x", "x-kubernetes-validations": [{ rule: "self == 'y'" }] }),
    ["F.default: Invalid value: \"string\": failed rule: self == 'y'"],
  ],
  "a default that needs an old value": [
    field({
      type: "string",
      default: "x",
      "x-kubernetes-validations": [{ rule: "oldSelf.hasValue()", optionalOldSelf: true }],
    }),
    ['F.default: Invalid value: "string": failed rule: oldSelf.hasValue()'],
  ],
  "a default for an embedded object without kind": [
    field({
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
      default: { a: 1 },
    }),
    ["F.default.apiVersion: Required value", "F.default.kind: Required value"],
  ],
  "a default at the root": [
    definition({ schema: { type: "object", default: { a: 1 } } }),
    [
      "S.default.apiVersion: Required value",
      "S.default.kind: Required value",
      'S.default: Invalid value: {"a":1}: must not have unknown fields',
    ],
  ],
  "an unknown list type": [
    field({ type: "array", items: { type: "string" }, "x-kubernetes-list-type": "bag" }),
    ['F.x-kubernetes-list-type: Unsupported value: "bag": supported values: "atomic", "set", "map"'],
  ],
  "a list type for an object": [
    field({ type: "object", "x-kubernetes-list-type": "set" }),
    ['F.type: Invalid value: "object": must be array if x-kubernetes-list-type is specified'],
  ],
  "a list type without a type": [
    field({ "x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-list-type": "set" }),
    ["F.type: Required value: must be array if x-kubernetes-list-type is specified"],
  ],
  "a map type for a list": [
    field({ type: "array", items: { type: "string" }, "x-kubernetes-map-type": "atomic" }),
    ['F.type: Invalid value: "array": must be object if x-kubernetes-map-type is specified'],
  ],
  "an unknown map type": [
    field({ type: "object", "x-kubernetes-map-type": "flat" }),
    ['F.x-kubernetes-map-type: Unsupported value: "flat": supported values: "atomic", "granular"'],
  ],
  "a set of objects": [
    field({ type: "array", "x-kubernetes-list-type": "set", items: { type: "object" } }),
    [
      "F.items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set",
    ],
  ],
  "a set of sets": [
    field({
      type: "array",
      "x-kubernetes-list-type": "set",
      items: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
    }),
    [
      'F.items.x-kubernetes-list-type: Invalid value: "set": must be atomic as item of a list with x-kubernetes-list-type=set',
    ],
  ],
  "a set of nulls": [
    field({ type: "array", "x-kubernetes-list-type": "set", items: { type: "string", nullable: true } }),
    ["F.items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is set"],
  ],
  "keys without a list type": [
    field({ type: "array", "x-kubernetes-list-map-keys": ["a"], items: { type: "string" } }),
    ["F.x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is non-empty"],
  ],
  "keys of a set": [
    field({
      type: "array",
      "x-kubernetes-list-type": "set",
      "x-kubernetes-list-map-keys": ["a"],
      items: { type: "string" },
    }),
    ['F.x-kubernetes-list-type: Invalid value: "set": must be map if x-kubernetes-list-map-keys is non-empty'],
  ],
  "a list map without keys": [
    field({ type: "array", "x-kubernetes-list-type": "map", items: { type: "object" } }),
    ["F.x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map"],
  ],
  "a list map of texts": [
    field({
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["a"],
      items: { type: "string" },
    }),
    ['F.items.type: Invalid value: "string": must be object if parent array\'s x-kubernetes-list-type is map'],
  ],
  "a list map with invalid keys": [
    field({
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["a", "a", "b"],
      items: { type: "object", properties: { a: { type: "object" } }, required: ["a"] },
    }),
    [
      'F.items.properties[a].type: Invalid value: "object": must be a scalar type if parent array\'s x-kubernetes-list-type is map',
      'F.items.properties[a].type: Invalid value: "object": must be a scalar type if parent array\'s x-kubernetes-list-type is map',
      'F.x-kubernetes-list-map-keys: Invalid value: ["a","a","b"]: entries must all be names of item properties',
      'F.x-kubernetes-list-map-keys: Invalid value: ["a","a","b"]: must not contain duplicate entries',
    ],
  ],
  "a list map with optional keys": [
    field({
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["a"],
      items: { type: "object", properties: { a: { type: "string", nullable: true } } },
    }),
    [
      "F.items.properties[a].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
      "F.items.properties[a].nullable: Forbidden: this property is in x-kubernetes-list-map-keys, so it cannot be nullable",
    ],
  ],
  "a list map of nulls": [
    field({
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["a"],
      items: { type: "object", nullable: true, properties: { a: { type: "string", default: "" } } },
    }),
    ["F.items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is map"],
  ],
  "a list map without items": [
    field({ type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"] }),
    [
      "F.items: Required value: must be specified",
      "F.items: Required value: must have a schema if x-kubernetes-list-type is map",
    ],
  ],
  "an empty column": [
    definition({ version: { additionalPrinterColumns: [{ name: "", type: "", jsonPath: "" }] } }),
    [
      "spec.additionalPrinterColumns[0].JSONPath: Required value",
      "spec.additionalPrinterColumns[0].name: Required value",
      "spec.additionalPrinterColumns[0].type: Required value: must be one of boolean,date,integer,number,string",
    ],
  ],
  "a column with invalid parts": [
    definition({
      version: { additionalPrinterColumns: [{ name: "A", type: "text", format: "x", jsonPath: "spec.a" }] },
    }),
    [
      'spec.additionalPrinterColumns[0].JSONPath: Invalid value: "spec.a": must be a simple json path starting with .',
      'spec.additionalPrinterColumns[0].format: Invalid value: "x": must be one of byte,date,date-time,double,float,int32,int64,password',
      'spec.additionalPrinterColumns[0].type: Invalid value: "text": must be one of boolean,date,integer,number,string',
    ],
  ],
  "invalid selectable fields": [
    definition({
      version: {
        selectableFields: [
          { jsonPath: "" },
          { jsonPath: "f" },
          { jsonPath: ".x" },
          { jsonPath: ".metadata.name" },
          { jsonPath: ".f" },
          { jsonPath: ".f" },
          { jsonPath: ".o" },
          { jsonPath: ".o['a']" },
          { jsonPath: ".o." },
          { jsonPath: ".n" },
        ],
      },
      schema: {
        type: "object",
        properties: {
          f: { type: "string" },
          n: { type: "number" },
          o: { type: "object", properties: { a: { type: "integer" } } },
          metadata: { type: "object", properties: { name: { type: "string" } } },
        },
      },
    }),
    [
      "spec.selectableFields[0].jsonPath: Required value",
      'spec.selectableFields[1].jsonPath: Invalid value: "f": is an invalid path: expected [ or . but got: f',
      'spec.selectableFields[2].jsonPath: Invalid value: ".x": is an invalid path: does not refer to a valid field',
      'spec.selectableFields[3].jsonPath: Invalid value: ".metadata.name": must not point to fields in metadata',
      'spec.selectableFields[5].jsonPath: Duplicate value: ".f"',
      'spec.selectableFields[6].jsonPath: Invalid value: ".o": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
      "spec.selectableFields[7].jsonPath: Invalid value: \".o['a']\": is an invalid path: array notation is not allowed",
      'spec.selectableFields[8].jsonPath: Invalid value: ".o.": is an invalid path: unexpected end of JSON path',
      'spec.selectableFields[9].jsonPath: Invalid value: ".n": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
    ],
  ],
  "nine selectable fields": [
    definition({
      version: {
        selectableFields: [
          { jsonPath: ".a" },
          { jsonPath: ".b" },
          { jsonPath: ".c" },
          { jsonPath: ".d" },
          { jsonPath: ".e" },
          { jsonPath: ".f" },
          { jsonPath: ".g" },
          { jsonPath: ".h" },
          { jsonPath: ".i" },
        ],
      },
      schema: {
        type: "object",
        properties: {
          a: { type: "string" },
          b: { type: "string" },
          c: { type: "string" },
          d: { type: "string" },
          e: { type: "string" },
          f: { type: "string" },
          g: { type: "string" },
          h: { type: "string" },
          i: { type: "string" },
        },
      },
    }),
    ["spec.selectableFields: Too many: 9: must have at most 8 items"],
  ],
  "scaling without paths": [
    definition({ version: { subresources: { scale: {} } } }),
    [
      "spec.subresources.scale.specReplicasPath: Required value",
      "spec.subresources.scale.statusReplicasPath: Required value",
    ],
  ],
  "scaling with invalid paths": [
    definition({
      version: {
        subresources: {
          scale: { specReplicasPath: "spec.x", statusReplicasPath: ".spec.y", labelSelectorPath: ".meta.z" },
        },
      },
    }),
    [
      'spec.subresources.scale.labelSelectorPath: Invalid value: ".meta.z": should be a json path under either .spec or .status',
      'spec.subresources.scale.specReplicasPath: Invalid value: "spec.x": must be a simple json path starting with .',
      'spec.subresources.scale.statusReplicasPath: Invalid value: ".spec.y": should be a json path under .status',
    ],
  ],
  "an empty rule": [rule(""), ["F.x-kubernetes-validations[0].rule: Required value: rule is not specified"]],
  "a blank message": [
    rule({ rule: "self == 'x'", message: " " }),
    ['F.x-kubernetes-validations[0].message: Invalid value: " ": must be non-empty if specified'],
  ],
  "a message of two lines": [
    rule({ rule: "self == 'x'", message: "a\nb" }),
    ['F.x-kubernetes-validations[0].message: Invalid value: "a\\nb": must not contain line breaks'],
  ],
  "a rule of two lines without a message": [
    rule("self ==\n 'x'"),
    ["F.x-kubernetes-validations[0].message: Required value: message must be specified if rule contains line breaks"],
  ],
  "a blank message expression": [
    rule({ rule: "true", messageExpression: " " }),
    [
      "F.x-kubernetes-validations[0].messageExpression: Required value: messageExpression must be non-empty if specified",
    ],
  ],
  "an unknown reason": [
    rule({ rule: "true", reason: "Because" }),
    [
      'F.x-kubernetes-validations[0].reason: Unsupported value: "Because": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"',
    ],
  ],
  "a field path to a missing field": [
    rule({ rule: "true", fieldPath: ".a" }),
    ['F.x-kubernetes-validations[0].fieldPath: Invalid value: ".a": must be a valid path'],
  ],
  "a blank field path": [
    rule({ rule: "true", fieldPath: " " }),
    [
      'F.x-kubernetes-validations[0].fieldPath: Invalid value: " ": must be a valid path',
      'F.x-kubernetes-validations[0].fieldPath: Invalid value: " ": must be non-empty if specified',
    ],
  ],
  "a field path of two lines": [
    rule({ rule: "true", fieldPath: ".a\n" }),
    [
      'F.x-kubernetes-validations[0].fieldPath: Invalid value: ".a\\n": must be a valid path',
      'F.x-kubernetes-validations[0].fieldPath: Invalid value: ".a\\n": must not contain line breaks',
    ],
  ],
  "a rule that yields a text": [
    rule("self"),
    ['F.x-kubernetes-validations[0].rule: Invalid value: "self": cel expression must evaluate to a bool'],
  ],
  "a rule about a field of a text": [
    rule("self.foo == 1"),
    [
      "F.x-kubernetes-validations[0].rule: Invalid value: \"self.foo == 1\": compilation failed: ERROR: <input>:1:5: type 'string' does not support field selection\n | self.foo == 1\n | ....^",
    ],
  ],
  "a rule about an unknown name": [
    rule("undeclared == 1"),
    [
      "F.x-kubernetes-validations[0].rule: Invalid value: \"undeclared == 1\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'undeclared' (in container '')\n | undeclared == 1\n | ^",
    ],
  ],
  "a message expression that yields a number": [
    rule({ rule: "true", messageExpression: "5" }),
    [
      'F.x-kubernetes-validations[0].messageExpression: Invalid value: "5": messageExpression must evaluate to a string',
    ],
  ],
  "a message expression about an unknown name": [
    rule({ rule: "true", messageExpression: "nope" }),
    [
      "F.x-kubernetes-validations[0].messageExpression: Invalid value: \"nope\": messageExpression compilation failed: ERROR: <input>:1:1: undeclared reference to 'nope' (in container '')\n | nope\n | ^",
    ],
  ],
  "an optional old value that is not used": [
    rule({ rule: "true", optionalOldSelf: true }),
    [
      "F.x-kubernetes-validations[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule",
    ],
  ],
  "an optional old value used without unwrapping": [
    rule({ rule: "self == oldSelf", optionalOldSelf: true }),
    [
      "F.x-kubernetes-validations[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule",
      "F.x-kubernetes-validations[0].rule: Invalid value: \"self == oldSelf\": compilation failed: ERROR: <input>:1:6: found no matching overload for '_==_' applied to '(string, optional_type(string))'\n | self == oldSelf\n | .....^",
    ],
  ],
  "a rule that compares text and number": [
    rule("self == 5"),
    [
      "F.x-kubernetes-validations[0].rule: Invalid value: \"self == 5\": compilation failed: ERROR: <input>:1:6: found no matching overload for '_==_' applied to '(string, int)'\n | self == 5\n | .....^",
    ],
  ],
  "a rule of dynamic type": [
    rule("dyn(self)"),
    ['F.x-kubernetes-validations[0].rule: Invalid value: "dyn(self)": cel expression must evaluate to a bool'],
  ],
  "an old value in a list without keys": [
    field({ type: "array", items: { type: "string", "x-kubernetes-validations": [{ rule: "self == oldSelf" }] } }),
    [
      'F.items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within spec.validation.openAPIV3Schema.properties[f]',
    ],
  ],
  "a rule on a value without a type": [
    field({ "x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-validations": [{ rule: "true" }] }),
    [
      "F.x-kubernetes-validations: Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations",
    ],
  ],
  "a rule about an unknown field": [
    field({
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
      "x-kubernetes-validations": [{ rule: "has(self.a)" }],
    }),
    [
      "F.x-kubernetes-validations[0].rule: Invalid value: \"has(self.a)\": compilation failed: ERROR: <input>:1:4: undefined field 'a'\n | has(self.a)\n | ...^",
    ],
  ],
  "a rule about labels": [
    definition({
      schema: {
        type: "object",
        "x-kubernetes-validations": [{ rule: "self.metadata.name == 'x' && self.metadata.labels == {}" }],
      },
    }),
    [
      "S.x-kubernetes-validations[0].rule: Invalid value: \"self.metadata.name == 'x' && self.metadata.labels == {}\": compilation failed: ERROR: <input>:1:43: undefined field 'labels'\n | self.metadata.name == 'x' && self.metadata.labels == {}\n | ..........................................^",
    ],
  ],
  "field paths of all kinds": [
    field({
      type: "object",
      properties: { a: { type: "string" } },
      "x-kubernetes-validations": [
        { rule: "true", fieldPath: ".a" },
        { rule: "true", fieldPath: ".b" },
        { rule: "true", fieldPath: "a" },
        { rule: "true", fieldPath: "['a']" },
        { rule: "true", fieldPath: ".a.b" },
        { rule: "true", fieldPath: ".a[0]" },
      ],
    }),
    [
      'F.x-kubernetes-validations[1].fieldPath: Invalid value: ".b": must be a valid path',
      'F.x-kubernetes-validations[2].fieldPath: Invalid value: "a": must be a valid path',
      'F.x-kubernetes-validations[4].fieldPath: Invalid value: ".a.b": must be a valid path',
      'F.x-kubernetes-validations[5].fieldPath: Invalid value: ".a[0]": must be a valid path',
    ],
  ],
  "field paths into maps": [
    field({
      type: "object",
      additionalProperties: { type: "string" },
      "x-kubernetes-validations": [
        { rule: "true", fieldPath: ".anything" },
        { rule: "true", fieldPath: "['a b']" },
        { rule: "true", fieldPath: "['a\\q']" },
        { rule: "true", fieldPath: "['a'" },
      ],
    }),
    [
      "F.x-kubernetes-validations[2].fieldPath: Invalid value: \"['a\\\\q']\": must be a valid path",
      "F.x-kubernetes-validations[3].fieldPath: Invalid value: \"['a'\": must be a valid path",
    ],
  ],
  "a rule that compares with null": [
    field({ type: "string", nullable: true, "x-kubernetes-validations": [{ rule: "self == null" }] }),
    [
      "F.x-kubernetes-validations[0].rule: Invalid value: \"self == null\": compilation failed: ERROR: <input>:1:6: found no matching overload for '_==_' applied to '(string, null)'\n | self == null\n | .....^",
    ],
  ],
  "a rule that takes a time for a text": [
    field({ type: "string", format: "date-time", "x-kubernetes-validations": [{ rule: "self == 'x'" }] }),
    [
      "F.x-kubernetes-validations[0].rule: Invalid value: \"self == 'x'\": compilation failed: ERROR: <input>:1:6: found no matching overload for '_==_' applied to '(timestamp, string)'\n | self == 'x'\n | .....^",
    ],
  ],
  "a rule with a mixed list": [
    rule("[1,'a'].size() == 2"),
    [
      "F.x-kubernetes-validations[0].rule: Invalid value: \"[1,'a'].size() == 2\": compilation failed: ERROR: <input>:1:4: expected type 'int' but found 'string'\n | [1,'a'].size() == 2\n | ...^",
    ],
  ],
  "a rule with a macro of other CEL environments": [
    rule("cel.bind(x, 1, x == 1)"),
    [
      "F.x-kubernetes-validations[0].rule: Invalid value: \"cel.bind(x, 1, x == 1)\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'cel' (in container '')\n | cel.bind(x, 1, x == 1)\n | ^\nERROR: <input>:1:9: undeclared reference to 'bind' (in container '')\n | cel.bind(x, 1, x == 1)\n | ........^\nERROR: <input>:1:10: undeclared reference to 'x' (in container '')\n | cel.bind(x, 1, x == 1)\n | .........^\nERROR: <input>:1:16: undeclared reference to 'x' (in container '')\n | cel.bind(x, 1, x == 1)\n | ...............^",
    ],
  ],
  "a rule with a function of other CEL environments": [
    rule("math.greatest(1,2) == 2"),
    [
      "F.x-kubernetes-validations[0].rule: Invalid value: \"math.greatest(1,2) == 2\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'math' (in container '')\n | math.greatest(1,2) == 2\n | ^\nERROR: <input>:1:14: undeclared reference to 'greatest' (in container '')\n | math.greatest(1,2) == 2\n | .............^",
    ],
  ],
  "a rule with an encoder of other CEL environments": [
    rule("base64.encode(b'x') == ''"),
    [
      "F.x-kubernetes-validations[0].rule: Invalid value: \"base64.encode(b'x') == ''\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'base64' (in container '')\n | base64.encode(b'x') == ''\n | ^\nERROR: <input>:1:14: undeclared reference to 'encode' (in container '')\n | base64.encode(b'x') == ''\n | .............^",
    ],
  ],
  "a bad schema in one of two versions": [
    definition({
      spec: {
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: "object", description: "one" } },
          },
          {
            name: "v2",
            served: true,
            storage: false,
            schema: { openAPIV3Schema: { type: "object", properties: { a: {} } } },
          },
        ],
      },
    }),
    [
      "spec.versions[1].schema.openAPIV3Schema.properties[a].type: Required value: must not be empty for specified object fields",
    ],
  ],
  "a bad column in one of two versions": [
    definition({
      spec: {
        versions: [
          { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
          {
            name: "v2",
            served: true,
            storage: false,
            schema: { openAPIV3Schema: { type: "object" } },
            subresources: { status: {} },
            additionalPrinterColumns: [{ name: "", type: "string", jsonPath: ".x" }],
          },
        ],
      },
    }),
    ["spec.versions[1].additionalPrinterColumns[0].name: Required value"],
  ],
  "selectable fields in one of two versions": [
    definition({
      spec: {
        versions: [
          { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
          {
            name: "v2",
            served: true,
            storage: false,
            schema: { openAPIV3Schema: { type: "object" } },
            selectableFields: [{ jsonPath: ".x" }],
          },
        ],
      },
    }),
    [
      'spec.versions[1].selectableFields: Invalid value: "": may only be set when `version.schema.openAPIV3Schema` is not included',
    ],
  ],
};

function shortened(text: string): string {
  const schema = "spec.validation.openAPIV3Schema";
  return text.replace(new RegExp(`^${schema}\\.properties\\[f\\]`), "F").replace(new RegExp(`^${schema}`), "S");
}

describe("a definition is rejected for", () => {
  for (const [name, [crd, issues]] of Object.entries(bad)) {
    it(name, () => {
      const found = definitionIssues(prepareNewDefinition(crd), undefined).map(issueText).sort();
      expect(found.map(shortened)).toEqual(issues);
    });
  }
});
