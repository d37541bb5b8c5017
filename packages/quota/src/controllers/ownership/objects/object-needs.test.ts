import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { beforeEach, describe, expect, it } from "vitest";
import { compileClaimPolicy } from "../../../core/policy/claim-policy.ts";
import { parseClaimCreationPolicy } from "../../../core/resources/claim-creation-policy.ts";
import { amountOf } from "../../../core/resources/fields/amount.ts";
import type { Runtime } from "../../../views/runtime.ts";
import type { GoverningPolicy } from "../claim-policies.ts";
import { type NotedNeeds, ObjectNeeds } from "./object-needs.ts";

const kind = { apiGroup: "", kind: "ConfigMap" };
const consumer = { apiGroup: "", kind: "Namespace", namespace: "", name: "default" };

/** How often policies were evaluated, by name. */
let evaluations: string[];
let policies: GoverningPolicy[];
let needs: ObjectNeeds;

function governing(name: string, { generation = 1, constraint = "true" } = {}): GoverningPolicy {
  const parsed = parseClaimCreationPolicy({
    apiVersion: "quota.miloapis.com/v1alpha1",
    kind: "ClaimCreationPolicy",
    metadata: { name, uid: `uid-of-${name}`, generation },
    spec: {
      trigger: { resource: { apiVersion: "v1", kind: "ConfigMap" }, constraints: [{ expression: constraint }] },
      target: {
        resourceClaimTemplate: {
          spec: {
            consumerRef: { kind: "Namespace", name: "default" },
            requests: [{ resourceType: "maps", amountExpression: "size(trigger.data)" }],
          },
        },
      },
    },
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  const compiled = compileClaimPolicy(parsed.value);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.issues));
  const evaluate: GoverningPolicy["compiled"]["evaluate"] = (input) => {
    evaluations.push(name);
    return compiled.policy.evaluate(input);
  };
  return {
    plane: "root",
    kind,
    policy: parsed.value,
    compiled: { name, evaluate },
    readySince: "2026-01-01T00:00:00Z",
  };
}

beforeEach(() => {
  evaluations = [];
  policies = [governing("maps")];
  const planes = {
    root: "root",
    tenantOf: () => undefined,
    bucketNamespace: () => "default",
    planeOf: () => undefined,
  };
  const runtime = { planes, clock: { now: () => 0 }, report: () => undefined } as unknown as Runtime;
  needs = new ObjectNeeds(runtime, { policiesFor: () => policies } as never);
});

const object = (version = "7", data: JsonObject = { a: "1" }): JsonObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", namespace: "default", uid: "u", resourceVersion: version },
  data,
});

/** What admission made of the object; the amount is one that no policy would give. */
function note(amount: number | undefined, { version = "7", policy = "maps", generation = 1 } = {}): void {
  const request = { resourceType: "maps", amount: amountOf(amount ?? 0), dimensions: {}, dimensionKey: "" };
  const claim = amount === undefined ? undefined : { consumer, requests: [request] };
  needs.note({ uid: "u", version, policies: [{ uid: `uid-of-${policy}`, generation, claim }] } as NotedNeeds);
}

/** What is needed by each policy, and which of them were evaluated for it. */
function seen(of = object()): readonly [needed: readonly unknown[], evaluated: readonly string[]] {
  evaluations.length = 0;
  const needed = needs.of(of, "root", kind).map((need) => {
    return need.need === "claim" ? Number(need.parts[0]?.amount) : need.need;
  });
  return [needed, [...evaluations]];
}

describe("an object that came with its claims", () => {
  const cases: Record<string, [change: () => void, cameWithClaims: boolean]> = {
    "is left alone when it is seen": [() => undefined, true],
    "is looked at when a policy went to work after it was admitted": [() => policies.push(governing("others")), false],
    "is looked at when its policy was changed since": [
      () => policies.splice(0, 1, governing("maps", { generation: 2 })),
      false,
    ],
    "is left alone by policies that look at who asks": [
      () => policies.push(governing("others", { constraint: 'user.name != ""' })),
      true,
    ],
  };
  for (const [title, [change, cameWithClaims]] of Object.entries(cases)) {
    it(title, () => {
      note(5);
      change();
      seen();
      expect([needs.cameWithClaims("u"), needs.cameWithClaims("u")]).toEqual([cameWithClaims, false]);
    });
  }
});

describe("what an object needs", () => {
  it("is asked of its policy, when nothing was noted", () => {
    expect(seen()).toEqual([[1], ["maps"]]);
  });

  it("is what was noted when the object was admitted, and no policy is evaluated", () => {
    note(5);
    expect(seen()).toEqual([[5], []]);
  });

  it("is nothing, when that was noted", () => {
    note(undefined);
    expect(seen()).toEqual([["nothing"], []]);
  });

  it("is asked of the policy from the second look on: the note is for the first", () => {
    note(5);
    seen();
    expect(seen()).toEqual([[1], ["maps"]]);
  });

  it("is asked of the policy for another version of the object, and the note is dropped", () => {
    note(5, { version: "6" });
    expect(seen(object("7", { a: "1", b: "2" }))).toEqual([[2], ["maps"]]);
    expect(seen(object("6"))).toEqual([[1], ["maps"]]);
  });

  it("is asked of a policy that was changed since", () => {
    note(5);
    policies = [governing("maps", { generation: 2 })];
    expect(seen()).toEqual([[1], ["maps"]]);
  });

  it("is asked of a policy that was not among those noted, and only of that one", () => {
    note(5);
    policies = [...policies, governing("others")];
    expect(seen()).toEqual([[5, 1], ["others"]]);
  });

  it("is not known by a note of a policy that looks at who asks", () => {
    policies = [governing("maps", { constraint: 'user.name != ""' })];
    note(5);
    expect(seen()).toEqual([["unknown"], []]);
  });

  it("is not taken from the note about another object", () => {
    note(5);
    const other = object();
    const metadata = { ...(other["metadata"] as JsonObject), uid: "other" };
    expect(seen({ ...other, metadata })).toEqual([[1], ["maps"]]);
    expect(seen()).toEqual([[5], []]);
  });
});
