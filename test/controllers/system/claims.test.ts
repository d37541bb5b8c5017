import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { Informer } from "@milo-quota/kubernetes/client/watch/informer.ts";
import { listerWatcherFor } from "@milo-quota/kubernetes/client/watch/lister-watcher.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { bucketName } from "@milo-quota/quota/core/resources/object-names.ts";
import { claimsType, grantsType, registrationsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  claim,
  cpu,
  grant,
  memory,
  organization,
  project,
  projectsType,
  type RequestInput,
  registration,
  typeOf,
} from "./manifests.ts";
import { conditionOf, type Json, statusOf, TestSystem } from "./test-system.ts";

const gibi = 1024 ** 3;
const web = project("web");
const inWeb = { plane: "web" };

let system: TestSystem;

beforeEach(async () => {
  system = await TestSystem.start({ projects: ["web"] });
});

afterEach(() => system.stop());

/** Registers and grants CPU and memory for a project. */
async function registerInstances(): Promise<void> {
  const consumerType = typeOf(web);
  const cores = { displayUnit: "core", unitConversionFactor: 1_000, baseUnit: "millicore" };
  const bytes = { displayUnit: "GiB", unitConversionFactor: gibi, baseUnit: "byte" };
  await system.create(registrationsType, registration(cpu, { type: "Allocation", consumerType, ...cores }));
  await system.create(registrationsType, registration(memory, { type: "Allocation", consumerType, ...bytes }));
}

describe("a service that claims CPU and memory for an instance", () => {
  const instance = (name: string, cores: number, gib: number): Json =>
    claim(name, web, [
      { resourceType: cpu, amount: cores * 1_000 },
      { resourceType: memory, amount: gib * gibi },
    ]);

  /** Decisions that a service observes by watching its claim. */
  function watched(name: string): { readonly answers: string[]; readonly informer: Informer<JsonObject, string> } {
    const answers: string[] = [];
    const source = listerWatcherFor(system.resource(claimsType, "web"), system.transport, {
      namespace: "default",
      fieldSelector: `metadata.name=${name}`,
    });
    const informer = new Informer<JsonObject, string>({
      source,
      parse: anyObject,
      transform: (object) => conditionOf(object, "Granted")?.reason ?? "",
      clock: system.clock,
      random: { fraction: () => 0 },
      report: (error) => expect.fail(String(error)),
    });
    informer.subscribe({ onAdd: (_, now) => answers.push(now), onUpdate: (_, __, now) => answers.push(now) });
    informer.start();
    return { answers, informer };
  }

  beforeEach(async () => {
    await registerInstances();
    await system.create(grantsType, grant("compute", web, { [cpu]: 8_000, [memory]: 32 * gibi }), inWeb);
  });

  it("observes pending, then granted, on a watch, and releases everything by deleting the claim", async () => {
    const { answers, informer } = watched("instance-1");
    await informer.synced;
    const born = await system.create(claimsType, instance("instance-1", 2, 8), inWeb);
    expect(conditionOf(born, "Granted")).toMatchObject({ status: "False", reason: "PendingEvaluation" });
    await system.eventually(() => expect(answers.at(-1)).toBe("QuotaAvailable"));
    expect(answers).toEqual(["PendingEvaluation", "QuotaAvailable"]);
    const granted = await system.find(claimsType, "instance-1", inWeb);
    expect(conditionOf(granted, "Granted")?.message).toBe("All 2 resource requests have been granted");
    expect(statusOf(granted)["allocations"]).toMatchObject([
      { resourceType: cpu, status: "Granted", allocatedAmount: 2_000, allocatingBucket: bucketName(web, cpu) },
      { resourceType: memory, status: "Granted", allocatedAmount: 8 * gibi, allocatingBucket: bucketName(web, memory) },
    ]);
    await system.eventually(async () =>
      expect(await system.figures(web, memory)).toMatchObject({
        allocated: 8 * gibi,
        available: 24 * gibi,
        claimCount: 1,
      }),
    );
    await system.delete(claimsType, "instance-1", inWeb);
    await system.eventually(async () => {
      expect(await system.figures(web, cpu)).toMatchObject({ allocated: 0, available: 8_000, claimCount: 0 });
      expect(await system.figures(web, memory)).toMatchObject({ allocated: 0, available: 32 * gibi, claimCount: 0 });
    });
    await informer.stop();
    expect(system.reported).toEqual([]);
  });

  it("is denied with the numbers in readable units and with what would have fitted", async () => {
    await system.create(claimsType, instance("small", 1, 30), inWeb);
    await system.eventually(async () => expect(await system.answer("small", inWeb)).toBe("True QuotaAvailable"));
    await system.create(claimsType, instance("large", 2, 4), inWeb);
    await system.eventually(async () => expect(await system.answer("large", inWeb)).toBe("False QuotaExceeded"));
    const denied = await system.find(claimsType, "large", inWeb);
    expect(conditionOf(denied, "Granted")?.message).toContain("requested 4 GiB");
    const [ofCpu, ofMemory] = statusOf(denied)["allocations"] as [Json, Json];
    expect(ofCpu).toMatchObject({ resourceType: cpu, status: "Denied", allocatedAmount: 0 });
    expect(String(ofCpu["message"])).toContain(memory);
    expect(ofMemory).toMatchObject({ resourceType: memory, status: "Denied", allocatedAmount: 0, limit: 32 * gibi });
    expect(ofCpu).not.toHaveProperty("limit");
    await system.pass(5_000);
    expect(await system.figures(web, cpu)).toMatchObject({ allocated: 1_000, reserved: 0 });
  });

  it("is denied permanently: later capacity is for new claims", async () => {
    await system.create(claimsType, instance("early", 16, 1), inWeb);
    await system.eventually(async () => expect(await system.answer("early", inWeb)).toBe("False QuotaExceeded"));
    await system.create(grantsType, grant("more", web, { [cpu]: 80_000 }), inWeb);
    await system.create(claimsType, instance("late", 16, 1), inWeb);
    await system.eventually(async () => expect(await system.answer("late", inWeb)).toBe("True QuotaAvailable"));
    expect(await system.answer("early", inWeb)).toBe("False QuotaExceeded");
  });

  it("releases a claim with our finalizer and keeps foreign finalizers", async () => {
    const finalizers = ["quota.miloapis.com/resource-claim-cleanup", "compute.datumapis.com/hold"];
    const created = instance("held", 8, 8);
    await system.create(claimsType, { ...created, metadata: { ...(created["metadata"] as Json), finalizers } }, inWeb);
    await system.eventually(async () => expect(await system.answer("held", inWeb)).toBe("True QuotaAvailable"));
    await system.delete(claimsType, "held", inWeb);
    await system.eventually(async () => {
      const { metadata } = (await system.find(claimsType, "held", inWeb)) as { metadata: Json };
      expect(metadata["finalizers"]).toEqual(["compute.datumapis.com/hold"]);
    });
    await system.eventually(async () =>
      expect(await system.figures(web, cpu)).toMatchObject({ allocated: 8_000, reserved: 0, available: 0 }),
    );
    await system.patch(claimsType, "held", { metadata: { finalizers: null } }, inWeb);
    await system.eventually(async () => expect(await system.figures(web, cpu)).toMatchObject({ allocated: 0 }));
  });

  it("cannot change the claim", async () => {
    await system.create(claimsType, instance("fixed", 1, 1), inWeb);
    const body = { spec: { requests: [{ resourceType: cpu, amount: 1 }] } };
    await expect(system.patch(claimsType, "fixed", body, inWeb)).rejects.toThrow("a claim is immutable");
  });
});

describe("a claim over several resources", () => {
  it("holds nothing if one of them does not fit", async () => {
    await registerInstances();
    await system.create(grantsType, grant("compute", web, { [cpu]: 8_000, [memory]: gibi }), inWeb);
    const both = (amount: number): readonly RequestInput[] => [
      { resourceType: cpu, amount: 8_000 },
      { resourceType: memory, amount },
    ];
    for (let at = 0; at < 10; at += 1)
      await system.create(claimsType, claim(`greedy-${at}`, web, both(2 * gibi)), inWeb);
    await system.create(claimsType, claim("modest", web, both(gibi)), inWeb);
    await system.eventually(async () => expect(await system.answer("modest", inWeb)).toBe("True QuotaAvailable"));
    for (let at = 0; at < 10; at += 1) {
      await system.eventually(async () =>
        expect(await system.answer(`greedy-${at}`, inWeb)).toBe("False QuotaExceeded"),
      );
    }
    await system.eventually(async () => {
      expect(await system.figures(web, cpu)).toMatchObject({ allocated: 8_000, reserved: 0, claimCount: 1 });
      expect(await system.figures(web, memory)).toMatchObject({ allocated: gibi, reserved: 0, claimCount: 1 });
    });
    expect(system.reported).toEqual([]);
  });
});

describe("a claim that is not valid yet", () => {
  const one = (name: string, spec: Json = {}): Json =>
    claim(name, organization, [{ resourceType: projectsType, amount: 1 }], spec);

  it("reports what is missing and is decided when the registration is created", async () => {
    await system.create(grantsType, grant("start", organization, { [projectsType]: 1 }));
    await system.create(claimsType, one("early"));
    await system.eventually(async () => {
      expect(await system.answer("early")).toBe("False ValidationFailed");
      const condition = conditionOf(await system.find(grantsType, "start"), "Active");
      expect(condition).toMatchObject({ status: "False", reason: "ValidationFailed" });
      expect(condition?.message).toContain(projectsType);
    });
    expect(conditionOf(await system.find(claimsType, "early"), "Granted")?.message).toContain(projectsType);
    await system.create(registrationsType, registration(projectsType));
    await system.eventually(async () => {
      expect(conditionOf(await system.find(grantsType, "start"), "Active")?.reason).toBe("GrantActive");
    });
    await system.eventually(async () => expect(await system.answer("early")).toBe("True QuotaAvailable"));
    await system.create(claimsType, one("next"));
    await system.eventually(async () => expect(await system.answer("next")).toBe("False QuotaExceeded"));
  });

  it("is invalid for a kind that may not claim, until the registration allows it", async () => {
    await system.create(registrationsType, registration(projectsType));
    await system.create(grantsType, grant("start", organization, { [projectsType]: 1 }));
    const resourceRef = { apiGroup: "resourcemanager.miloapis.com", kind: "Project", name: "web" };
    await system.create(claimsType, one("for-web", { resourceRef }));
    await system.eventually(async () => expect(await system.answer("for-web")).toBe("False ValidationFailed"));
    const claimingResources = [{ apiGroup: "resourcemanager.miloapis.com", kind: "Project" }];
    const [{ metadata }] = (await system.list(registrationsType)) as [{ metadata: { name: string } }];
    await system.patch(registrationsType, metadata.name, { spec: { claimingResources } });
    await system.eventually(async () => expect(await system.answer("for-web")).toBe("True QuotaAvailable"));
  });

  it("is invalid for a dimension that is not registered", async () => {
    await system.create(registrationsType, registration(projectsType, { dimensions: ["tier"] }));
    await system.create(grantsType, grant("start", organization, { [projectsType]: 5 }));
    const requested = { resourceType: projectsType, amount: 1 };
    await system.create(claimsType, claim("known", organization, [{ ...requested, dimensions: { tier: "gold" } }]));
    await system.create(claimsType, claim("unknown", organization, [{ ...requested, dimensions: { color: "red" } }]));
    await system.eventually(async () => {
      expect(await system.answer("known")).toBe("True QuotaAvailable");
      expect(await system.answer("unknown")).toBe("False ValidationFailed");
    });
  });
});

describe("a field with two spellings", () => {
  it("has the same meaning in both and is stored as written", async () => {
    const { consumerType, ...spec } = registration(projectsType)["spec"] as Json;
    const spelled = { ...registration(projectsType), spec: { ...spec, consumerTypeRef: consumerType } };
    await system.create(registrationsType, spelled);
    await system.create(grantsType, grant("start", organization, { [projectsType]: 1 }));
    await system.create(claimsType, claim("one", organization, [{ resourceType: projectsType, amount: 1 }]));
    await system.eventually(async () => expect(await system.answer("one")).toBe("True QuotaAvailable"));
    const [stored] = (await system.list(registrationsType)) as [{ spec: Json; status: Json }];
    expect(stored.spec).toEqual(spelled.spec);
    expect(stored.status["consumerType"]).toEqual(consumerType);
  });

  it("is rejected in both fields at once, and under an early name with a hint at today's", async () => {
    const both = registration(projectsType, { consumerTypeRef: typeOf(organization) });
    await expect(system.create(registrationsType, both)).rejects.toThrow(
      "exactly one of consumerType and consumerTypeRef",
    );
    const early = registration(projectsType, { consumerType: undefined, ownerRef: typeOf(organization) });
    await expect(system.create(registrationsType, early)).rejects.toThrow("early manifests have ownerRef instead");
  });
});
