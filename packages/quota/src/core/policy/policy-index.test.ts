import { describe, expect, it } from "vitest";
import { type AnyPolicy, PolicyIndex, type PolicyRules } from "./policy-index.ts";

type Policy = AnyPolicy & { readonly types: readonly string[]; readonly isBroken: boolean };

interface Given {
  readonly kind?: string;
  readonly enabled?: boolean;
  readonly generation?: number;
  readonly uid?: string;
  readonly types?: readonly string[];
  readonly isBroken?: boolean;
  readonly enforcedSince?: string;
  readonly enforcedGeneration?: number;
}

function policy(name: string, given: Given = {}): Policy {
  const { kind = "Pod", enabled = true, generation = 1, uid = "u", types = ["cpu"], isBroken = false } = given;
  const { enforcedSince: since } = given;
  return {
    metadata: { name, uid, generation },
    enabled,
    trigger: { apiVersion: "v1", kind, constraintsField: "constraints", constraints: [] },
    status:
      since === undefined ? {} : { enforced: { generation: given.enforcedGeneration ?? generation, since, spec: {} } },
    types,
    isBroken,
  };
}

const issue = (field: string) => ({ type: "FieldValueInvalid", field, message: "" }) as const;

/** Rules by which policies need their resource types registered; every compilation is another object. */
function indexOver(registered: Set<string>) {
  const rules: PolicyRules<Policy, { readonly of: string }> = {
    compile: ({ metadata, isBroken }) =>
      isBroken ? { ok: false, issues: [issue("expression")] } : { ok: true, policy: { of: metadata.name ?? "" } },
    issues: ({ types }) => types.filter((type) => !registered.has(type)).map(issue),
    resourceTypes: ({ types }) => types,
    whileInvalid: ({ metadata, status }) => {
      const { generation } = status.enforced ?? {};
      if (generation === undefined) return undefined;
      return { policy: policy("earlier"), compiled: { of: `${metadata.name} ${generation}` } };
    },
  };
  return new PolicyIndex("root", rules);
}

const pod = { apiGroup: "", kind: "Pod" };
const names = (index: ReturnType<typeof indexOver>, plane: string, kind = pod) =>
  index.policiesFor(kind, plane).map(({ compiled }) => compiled.of);

describe("the policy index", () => {
  it("finds policies of the plane and of the root, by group and kind", () => {
    const index = indexOver(new Set(["cpu"]));
    index.put("root", policy("everywhere"));
    index.put("a", policy("in-a"));
    index.put("b", policy("in-b"));
    index.put("a", policy("other", { kind: "Secret" }));
    expect(names(index, "a")).toEqual(["everywhere", "in-a"]);
    expect(names(index, "root")).toEqual(["everywhere"]);
    expect(names(index, "a", { apiGroup: "apps", kind: "Pod" })).toEqual([]);
    expect(index.kinds()).toEqual([pod, { apiGroup: "", kind: "Secret" }]);
  });

  it("distinguishes policies of the same name in two planes", () => {
    const index = indexOver(new Set(["cpu"]));
    index.put("root", policy("same"));
    index.put("a", policy("same"));
    index.remove("root", "same");
    expect(names(index, "a")).toEqual(["same"]);
    expect(names(index, "root")).toEqual([]);
  });

  const states: Record<string, [given: Given, state: string, issues: readonly string[]]> = {
    "a valid policy is ready": [{}, "ready", []],
    "a disabled policy is not ready": [{ enabled: false }, "disabled", []],
    "a disabled policy can have issues": [{ enabled: false, isBroken: true }, "disabled", ["expression"]],
    "a policy that does not compile is invalid": [{ isBroken: true }, "invalid", ["expression"]],
    "a policy for an unregistered resource type is invalid": [{ types: ["disk"] }, "invalid", ["disk"]],
    "all issues are reported": [{ isBroken: true, types: ["disk", "gpu"] }, "invalid", ["expression", "disk", "gpu"]],
  };
  for (const [name, [given, state, issues]] of Object.entries(states)) {
    it(`validates: ${name}`, () => {
      const index = indexOver(new Set(["cpu"]));
      index.put("root", policy("p", given));
      const verdict = index.get("root", "p")?.verdict;
      expect(verdict?.state).toBe(state);
      expect(verdict?.state === "ready" ? [] : verdict?.issues.map(({ field }) => field)).toEqual(issues);
      expect(names(index, "root")).toEqual(state === "ready" ? ["p"] : []);
    });
  }

  it("validates again when registrations change", () => {
    const registered = new Set<string>();
    const index = indexOver(registered);
    index.put("root", policy("p"));
    index.put("root", policy("disks", { types: ["disk"] }));
    registered.add("cpu");
    expect(index.revalidate("cpu").map(({ policy: { metadata } }) => metadata.name)).toEqual(["p"]);
    expect(names(index, "root")).toEqual(["p"]);
    registered.delete("cpu");
    index.revalidate("cpu");
    expect(index.kinds()).toEqual([]);
  });

  it("compiles once for each change of the spec", () => {
    const index = indexOver(new Set(["cpu"]));
    const compiled = () => index.policiesFor(pod, "root")[0]?.compiled;
    index.put("root", policy("p"));
    const first = compiled();
    index.put("root", policy("p", { enforcedSince: "2026-01-02T00:00:00Z" }));
    index.revalidate("cpu");
    expect(compiled()).toBe(first);
    index.put("root", policy("p", { generation: 2 }));
    const second = compiled();
    expect(second).not.toBe(first);
    index.put("root", policy("p", { generation: 2, uid: "another" }));
    expect(compiled()).not.toBe(second);
  });

  it("follows a policy whose trigger changes to another kind", () => {
    const index = indexOver(new Set(["cpu"]));
    index.put("root", policy("p"));
    index.put("root", policy("p", { kind: "Secret", generation: 2 }));
    expect(index.kinds()).toEqual([{ apiGroup: "", kind: "Secret" }]);
    expect(names(index, "root")).toEqual([]);
  });

  it("knows since when the current generation is enforced, once its status says so", () => {
    const index = indexOver(new Set(["cpu"]));
    index.put("root", policy("p"));
    expect(index.policiesFor(pod, "root")[0]?.enforcedSince).toBeUndefined();
    index.put("root", policy("p", { enforcedSince: "2026-01-02T00:00:00Z" }));
    expect(index.policiesFor(pod, "root")[0]?.enforcedSince).toBe("2026-01-02T00:00:00Z");
    index.put("root", policy("p", { generation: 2, enforcedGeneration: 1, enforcedSince: "2026-01-02T00:00:00Z" }));
    expect(index.policiesFor(pod, "root")[0]?.enforcedSince).toBeUndefined();
  });

  it("has the enforced generation decide while a policy is invalid, about the kind that it applies to", () => {
    const index = indexOver(new Set(["cpu"]));
    const enforcedSince = "2026-01-02T00:00:00Z";
    const edited = { kind: "Secret", generation: 2, types: ["disk"], enforcedSince, enforcedGeneration: 1 };
    index.put("root", policy("never-enforced", { types: ["disk"] }));
    index.put("root", policy("enforced", edited));
    index.put("root", policy("disabled", { ...edited, enabled: false }));
    expect(index.policiesFor(pod, "root")).toMatchObject([{ compiled: { of: "enforced 1" }, enforcedSince }]);
    expect(index.policiesFor({ apiGroup: "", kind: "Secret" }, "root")).toEqual([]);
    expect([index.kinds(), index.decidingCount]).toEqual([[pod], 1]);
  });
});
