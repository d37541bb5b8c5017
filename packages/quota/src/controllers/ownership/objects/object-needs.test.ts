import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { beforeEach, describe, expect, it } from "vitest";
import { compileClaimPolicy } from "../../../core/policy/claim-policy.ts";
import { parseClaimCreationPolicy } from "../../../core/resources/claim-creation-policy.ts";
import { amountOf } from "../../../core/resources/fields/amount.ts";
import type { Runtime } from "../../../views/runtime.ts";
import type { GoverningPolicy } from "../claim-policies.ts";
import { type AdmittedNeeds, ObjectNeeds } from "./object-needs.ts";

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
    enforcedSince: "2026-01-01T00:00:00Z",
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

/** Records needs at admission, with an amount that no policy would render. */
function admit(amount: number | undefined, { version = "7", policy = "maps", generation = 1 } = {}): void {
  const request = { resourceType: "maps", amount: amountOf(amount ?? 0), dimensions: {}, dimensionKey: "" };
  const claim = amount === undefined ? undefined : { consumer, requests: [request] };
  needs.recordAdmitted({
    uid: "u",
    version,
    policies: [{ uid: `uid-of-${policy}`, generation, claim }],
  } as AdmittedNeeds);
}

/** What is needed by each policy, and which of them were evaluated for it. */
function observe(of = object()): readonly [needed: readonly unknown[], evaluated: readonly string[]] {
  evaluations.length = 0;
  const needed = needs.of(of, "root", kind).map((need) => {
    return need.need === "claim" ? Number(need.parts[0]?.amount) : need.need;
  });
  return [needed, [...evaluations]];
}

describe("an object that was stored with its claims", () => {
  const cases: Record<string, [change: () => void, wasStoredWithClaims: boolean]> = {
    "needs no reconcile when its event arrives": [() => undefined, true],
    "is reconciled if a policy took effect after its admission": [() => policies.push(governing("others")), false],
    "is reconciled if its policy has changed since": [
      () => policies.splice(0, 1, governing("maps", { generation: 2 })),
      false,
    ],
    "needs no reconcile for policies that read the request": [
      () => policies.push(governing("others", { constraint: 'user.name != ""' })),
      true,
    ],
  };
  for (const [title, [change, wasStoredWithClaims]] of Object.entries(cases)) {
    it(title, () => {
      admit(5);
      change();
      observe();
      expect([needs.wasStoredWithClaims("u"), needs.wasStoredWithClaims("u")]).toEqual([wasStoredWithClaims, false]);
    });
  }
});

describe("the needs of an object", () => {
  it("are evaluated if nothing was recorded at admission", () => {
    expect(observe()).toEqual([[1], ["maps"]]);
  });

  it("are those recorded at admission, without evaluating a policy", () => {
    admit(5);
    expect(observe()).toEqual([[5], []]);
  });

  it("are nothing if that was recorded", () => {
    admit(undefined);
    expect(observe()).toEqual([["nothing"], []]);
  });

  it("are evaluated from the second event on: the record is for the first", () => {
    admit(5);
    observe();
    expect(observe()).toEqual([[1], ["maps"]]);
  });

  it("are evaluated for another version of the object, and the record is dropped", () => {
    admit(5, { version: "6" });
    expect(observe(object("7", { a: "1", b: "2" }))).toEqual([[2], ["maps"]]);
    expect(observe(object("6"))).toEqual([[1], ["maps"]]);
  });

  it("are evaluated for a policy that has changed since", () => {
    admit(5);
    policies = [governing("maps", { generation: 2 })];
    expect(observe()).toEqual([[1], ["maps"]]);
  });

  it("are evaluated for a policy that was not recorded, and only for that one", () => {
    admit(5);
    policies = [...policies, governing("others")];
    expect(observe()).toEqual([[5, 1], ["others"]]);
  });

  it("are unknown for a policy that reads the request, even if they were recorded", () => {
    policies = [governing("maps", { constraint: 'user.name != ""' })];
    admit(5);
    expect(observe()).toEqual([["unknown"], []]);
  });

  it("are not taken from the record of another object", () => {
    admit(5);
    const other = object();
    const metadata = { ...(other["metadata"] as JsonObject), uid: "other" };
    expect(observe({ ...other, metadata })).toEqual([[1], ["maps"]]);
    expect(observe()).toEqual([[5], []]);
  });
});
