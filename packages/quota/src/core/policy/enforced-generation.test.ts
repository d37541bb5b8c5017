import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { describe, expect, it } from "vitest";
import { type ClaimCreationPolicy, parseClaimCreationPolicy } from "../resources/claim-creation-policy.ts";
import type { ClaimInput } from "./claim-policy.ts";
import { enforcedGeneration, lastEnforced } from "./enforced-generation.ts";

const since = "2026-01-01T00:00:00Z";

function spec(amount: number, condition = 'trigger.metadata.name != "free"') {
  return {
    trigger: { resource: { apiVersion: "v1", kind: "ConfigMap" }, constraints: [{ expression: condition }] },
    target: {
      resourceClaimTemplate: {
        spec: { consumerRef: { kind: "Namespace", name: "a" }, requests: [{ resourceType: "maps", amount }] },
      },
    },
  };
}

function policy(generation: number, given: object, enforced?: { generation: number; spec: object }) {
  const parsed = parseClaimCreationPolicy({
    apiVersion: "quota.miloapis.com/v1alpha1",
    kind: "ClaimCreationPolicy",
    metadata: { name: "p", generation },
    spec: given,
    ...(enforced && { status: { enforced: { ...enforced, since } } }),
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.value;
}

const input = (name: string): ClaimInput => ({
  trigger: { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default", uid: "u" } },
  user: { name: "", uid: "", groups: [], extra: {} },
  requestInfo: {
    verb: "create",
    apiGroup: "",
    apiVersion: "v1",
    resource: "configmaps",
    subresource: "",
    namespace: "default",
    name,
  },
  plane: "",
  tenantOf: () => undefined,
  bucketNamespace: () => "default",
  now: since,
});

const noIssues = () => [];
const unregistered = () => [{ type: "FieldValueInvalid", field: "f", message: "not registered" }] as const;

describe("the last enforced generation of a policy", () => {
  const evaluated = (
    given: ClaimCreationPolicy,
    issuesOf: Parameters<typeof lastEnforced>[1] = noIssues,
    name = "one",
  ) => lastEnforced(given, issuesOf)?.compiled.evaluate(input(name));

  it("is none before a generation was enforced", () => {
    expect(lastEnforced(policy(1, spec(1)), noIssues)).toBeUndefined();
  });

  it("renders the claims of its own spec", () => {
    const edited = policy(2, spec(7), { generation: 1, spec: spec(3) });
    expect(evaluated(edited)).toMatchObject({ outcome: "claim", claim: { requests: [{ amount: 3n }] } });
    expect(lastEnforced(edited, noIssues)?.policy.metadata.generation).toBe(1);
  });

  it("fails for the objects that it matches, and for no others, if it has issues itself", () => {
    const broken = policy(1, spec(1), { generation: 1, spec: spec(1) });
    expect(evaluated(broken, unregistered)).toEqual({
      outcome: "failed",
      message: 'ClaimCreationPolicy "p" is not ready: f: not registered',
    });
    expect(evaluated(broken, unregistered, "free")).toMatchObject({ outcome: "differs" });
  });

  const unusable: Record<string, JsonObject> = {
    "does not compile": spec(1, "trigger.metadata.name ==") as unknown as JsonObject,
    "cannot be read": { trigger: 1 },
  };
  for (const [name, stored] of Object.entries(unusable)) {
    it(`fails for every object if it ${name}`, () => {
      const failing = policy(2, spec(1), { generation: 1, spec: stored });
      for (const each of ["one", "free"])
        expect(evaluated(failing, noIssues, each)).toMatchObject({ outcome: "failed" });
    });
  }
});

describe("the record of an enforced generation", () => {
  const times = { readySince: "2026-02-01T00:00:00Z", now: "2026-03-01T00:00:00Z" };
  const first = { generation: 1, spec: spec(1) };
  const cases: Record<string, [policy: ClaimCreationPolicy, since: string]> = {
    "begins when the policy is ready": [policy(1, spec(1)), times.readySince],
    "keeps its time while the trigger stays": [policy(2, spec(2), first), since],
    "begins anew with another trigger": [policy(2, spec(1, "true"), first), times.now],
  };
  for (const [name, [given, expected]] of Object.entries(cases)) {
    it(name, () => {
      const { generation, spec: recorded } = enforcedGeneration(given, times);
      expect(enforcedGeneration(given, times).since).toBe(expected);
      expect([generation, recorded]).toEqual([given.metadata.generation, given.spec]);
    });
  }
});
