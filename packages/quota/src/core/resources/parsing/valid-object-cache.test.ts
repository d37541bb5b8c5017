import type { JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ValidationRule } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import fc from "fast-check";
import { expect, it } from "vitest";
import { parseResourceClaim, resourceClaimDefinition } from "../resource-claim.ts";
import { quotaApiVersion } from "../well-known.ts";
import { field } from "./json-fields.ts";
import { acceptKind } from "./parse-kind.ts";

const mostly = <Value>(right: Value, ...wrong: unknown[]): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 12, arbitrary: fc.constant(right) }, { weight: 1, arbitrary: fc.constantFrom(...wrong) });

const request = fc.record(
  {
    resourceType: fc.constantFrom("core/configmaps", "core/secrets"),
    amount: mostly(1, -1, "much", null),
    dimensions: mostly({}, 5),
    unknown: fc.constant("x"),
  },
  { requiredKeys: ["resourceType", "amount", "dimensions"] },
);
const spec = fc.record(
  {
    consumerRef: mostly({ apiGroup: "", kind: "Namespace", name: "a", namespace: "" }, {}, null, "a"),
    requests: fc.array(request, { maxLength: 3 }), // sometimes none, or the same one twice
  },
  { requiredKeys: ["consumerRef"] },
);
const condition = {
  type: "Granted",
  status: "True",
  reason: "QuotaAvailable",
  message: "all of it",
  lastTransitionTime: "2026-01-01T00:00:00Z",
};
const status = mostly({ conditions: [condition] }, { conditions: [condition, condition] }, {}, "granted", undefined);
const metadata = mostly({ name: "a", labels: { a: "b" } }, { name: 5 }, { labels: { a: 1 } });

it("an object that shares parts with others has the same result as one that shares none", () => {
  const parts = fc.array(fc.record({ spec, status, metadata }), { minLength: 1, maxLength: 3 });
  const choices = fc.array(fc.tuple(fc.nat(2), fc.nat(2), fc.nat(2)), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(parts, choices, (given, versions) => {
      for (const [one, other, third] of versions) {
        const at = (index: number) => given[index % given.length];
        const version = {
          apiVersion: quotaApiVersion,
          kind: "ResourceClaim",
          metadata: at(one)?.metadata,
          spec: at(other)?.spec,
          ...(at(third)?.status === undefined ? {} : { status: at(third)?.status }),
        };
        const alone = structuredClone(version);
        // An object that replaces itself bypasses the cache.
        expect(parseResourceClaim(version)).toEqual(parseResourceClaim(alone, alone));
      }
    }),
    { numRuns: 500 },
  );
});

const rule = (holds: (self: JsonValue) => boolean): readonly ValidationRule[] => [
  { rule: "self.a != self.b", message: "not both", holds },
];
const part = (...rules: readonly ValidationRule[]) =>
  ({
    type: "object",
    properties: { a: { type: "string" }, b: { type: "string" } },
    "x-kubernetes-validations": rules,
  }) as const;
const kind = (schema: object) =>
  acceptKind({
    ...resourceClaimDefinition,
    schema: { type: "object", ...schema } as typeof resourceClaimDefinition.schema,
  });
const object = (spec: object, status: object = {}) => ({
  apiVersion: quotaApiVersion,
  kind: "ResourceClaim",
  metadata: { name: "a" },
  spec,
  status,
});

it("an invalid part is invalid in every object", () => {
  const accept = kind({
    properties: { spec: part(...rule((self) => field(self, "a") !== field(self, "b"))), status: part() },
  });
  const [same, other] = [
    { a: "x", b: "x" },
    { a: "x", b: "y" },
  ];
  const results = [same, same, other, other].map((spec) => accept(object(spec)).ok);
  expect(results).toEqual([false, false, true, true]);
});

it("a rule of the whole object is evaluated for every object, even if its parts are cached", () => {
  const accept = kind({
    properties: { spec: part(), status: part() },
    "x-kubernetes-validations": rule((self) => field(self, "spec") !== field(self, "status")),
  });
  const [one, other] = [{ a: "x" }, { a: "y" }];
  expect([object(one, other), object(other, one), object(one, one)].map((each) => accept(each).ok)).toEqual([
    true,
    true,
    false,
  ]);
});

it("results are cached separately for each part of the schema", () => {
  const accept = kind({ properties: { spec: part(), status: { type: "object", properties: {} } } });
  const shared = { a: "x" };
  expect([accept(object(shared)), accept(object(shared, shared))].map(({ unknownFields }) => unknownFields)).toEqual([
    [],
    ["status.a"],
  ]);
});
