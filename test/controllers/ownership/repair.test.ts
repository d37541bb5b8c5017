import { failure, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { annotations, claimFinalizer } from "@milo-quota/quota/core/resources/well-known.ts";
import { claimPoliciesType, claimsType, registrationsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { organization, QuotaWorld, registration } from "../grants/quota-world.ts";
import { AutomaticClaims, configMaps } from "./automatic-claims.ts";

let world: QuotaWorld;
let claims: AutomaticClaims;
const second = 1_000;

beforeEach(async () => {
  world = await QuotaWorld.start(["root", "project-a"]);
  claims = new AutomaticClaims(world);
  await claims.startPolicies();
  await world.create(
    registrationsType,
    registration("projects", { claimingResources: [{ apiGroup: "", kind: "ConfigMap" }] }),
  );
});
afterEach(() => world.stop());

const amountExpression = 'int(trigger.metadata.labels["size"])';
const one = { resourceType: "projects", amount: 1 };
const sized = { resourceType: "projects", amountExpression };
const labelled = (size: number): object => ({ labels: { size: String(size), counted: "yes" } });

/** A policy for ConfigMaps with the label "counted". */
async function policy(
  spec: object = {},
  request: object = one,
  extra: readonly string[] = [],
  name = "things",
): Promise<void> {
  const expressions = ['trigger.metadata.labels["counted"] == "yes"', ...extra];
  const constraints = expressions.map((expression) => ({ expression }));
  await world.create(claimPoliciesType, {
    apiVersion: "quota.miloapis.com/v1alpha1",
    kind: "ClaimCreationPolicy",
    metadata: { name },
    spec: {
      trigger: { resource: { apiVersion: "v1", kind: "ConfigMap" }, constraints },
      target: {
        resourceClaimTemplate: { spec: { consumerRef: { ...organization, name: "acme" }, requests: [request] } },
      },
      ...spec,
    },
  });
  await world.pass(2 * second);
}

const policyStatus = async () =>
  (await world.find(claimPoliciesType, "things"))?.["status"] as {
    existingObjectCount?: number;
    conditions: unknown[];
  };

/** Claims for an object by UID, with their requests. */
async function claimsFor(uid: string, plane = "root") {
  const found = [];
  for (const name of await claims.names(plane)) {
    const claim = await claims.find(name, plane);
    if (claim?.listed.includes(uid)) found.push({ ...claim, name, amount: Number(claim.claim.requests[0]?.amount) });
  }
  return found;
}

async function grantAll(): Promise<void> {
  for (const name of await claims.names()) {
    const found = await claims.find(name);
    if (found?.claim.decision.state === "pending") await claims.answer(name, "QuotaAvailable");
  }
}

describe("an object stored without a claim", () => {
  it("gets a claim that is granted without a limit check, bound and owned", async () => {
    claims.start();
    await policy();
    await world.pass(2 * second);
    const uid = await claims.configMap("thing", "root", labelled(1));
    await world.eventually(async () => expect(await claimsFor(uid)).toHaveLength(1));
    const [created] = await claimsFor(uid);
    expect(created).toMatchObject({
      amount: 1,
      bound: uid,
      listed: [uid],
      owners: [{ uid, kind: "ConfigMap", apiVersion: "v1" }],
    });
    expect(created?.claim.resource).toEqual({ apiGroup: "", kind: "ConfigMap", namespace: "default", name: "thing" });
    const place = { plane: "root", namespace: "default", name: created?.name ?? "" };
    expect(claims.verdicts.verdict(place, created?.claim.metadata.uid ?? "")).toBe("forced");
    expect(claims.forced).toEqual([{ name: created?.name, policy: "things", reason: "repaired" }]);
    expect(claims.events[0]).toContain("ClaimForced");
    await grantAll();
    await world.pass(second);
    expect(claims.verdicts.verdict(place, created?.claim.metadata.uid ?? "")).toBe("ordinary");
    const writes = world.writes.length;
    await world.pass(600 * second);
    expect(world.writes).toHaveLength(writes);
    expect(world.reported).toEqual([]);
  });

  it("gets the claim in the plane of its consumer, without an owner reference", async () => {
    claims.start();
    const consumerType = { apiGroup: "resourcemanager.miloapis.com", kind: "Project" };
    const claimingResources = [{ apiGroup: "", kind: "ConfigMap" }];
    await world.create(registrationsType, registration("secrets", { consumerType, claimingResources }));
    const consumerRef = { ...consumerType, name: "project-a" };
    const requests = [{ resourceType: "secrets", amount: 1 }];
    const metadata = { namespace: "default" };
    await policy({ target: { resourceClaimTemplate: { metadata, spec: { consumerRef, requests } } } });
    const uid = await claims.configMap("thing", "root", labelled(1));
    await world.eventually(async () => expect(await claimsFor(uid, "project-a")).toHaveLength(1));
    expect((await claimsFor(uid, "project-a"))[0]).toMatchObject({ bound: uid, owners: [] });
    expect(await claimsFor(uid)).toEqual([]);
    await world.delete(configMaps, "thing");
    await world.eventually(async () => expect(await claims.names("project-a")).toEqual([]));
  });

  it("gets a claim for each policy, even if another policy's claim fails", async () => {
    claims.start();
    await policy();
    const consumerRef = { ...organization, name: "acme" };
    const requests = [{ resourceType: "projects", amount: 2 }];
    await policy({ target: { resourceClaimTemplate: { spec: { consumerRef, requests } } } }, one, [], "other-things");
    const tried: number[] = [];
    world.intercept = ({ method, path, body }) => {
      const [, amount] = /"amount":([12])/.exec(body?.text ?? "") ?? [];
      if (method !== "POST" || !path.endsWith("/resourceclaims") || amount === undefined) return;
      tried.push(Number(amount));
      if (tried.length === 1) throw new StatusError(failure("Forbidden", "not this one"));
    };
    const uid = await claims.configMap("thing", "root", labelled(1));
    await world.eventually(async () => expect(await claimsFor(uid)).toHaveLength(2));
    expect(tried[1]).toBe(3 - (tried[0] ?? 0));
  });

  it("keeps its claim after a delete and gets no other", async () => {
    claims.start();
    await policy();
    const uid = await claims.configMap("thing", "root", labelled(1));
    await world.eventually(async () => expect((await claimsFor(uid))[0]?.finalizers).toEqual([claimFinalizer]));
    const [before] = await claimsFor(uid);
    await world.delete(claimsType, before?.name ?? "");
    await world.pass(120 * second);
    const now = await claimsFor(uid);
    expect(now.map(({ claim, isGoing }) => [claim.metadata.uid, isGoing])).toEqual([
      [before?.claim.metadata.uid, true],
    ]);
  });

  it("gets a new claim if its claim was deleted after removing the finalizer", async () => {
    claims.start();
    await policy();
    const uid = await claims.configMap("thing", "root", labelled(1));
    await world.eventually(async () => expect(await claimsFor(uid)).toHaveLength(1));
    const [before] = await claimsFor(uid);
    await world.eventually(async () => expect((await claimsFor(uid))[0]?.finalizers).toEqual([claimFinalizer]));
    await world.patch(claimsType, before?.name ?? "", { metadata: { finalizers: null } });
    await world.delete(claimsType, before?.name ?? "");
    await world.eventually(async () => {
      const [now] = await claimsFor(uid);
      expect(now?.claim.metadata.uid).not.toBe(before?.claim.metadata.uid);
      expect(now).toBeDefined();
    });
  });

  it("gets a claim in place of a denied one", async () => {
    claims.start();
    await policy();
    const uid = await claims.configMap("thing", "root", labelled(1));
    await world.eventually(async () => expect(await claimsFor(uid)).toHaveLength(1));
    const [before] = await claimsFor(uid);
    await claims.answer(before?.name ?? "", "QuotaExceeded");
    await world.eventually(async () => {
      const [now] = await claimsFor(uid);
      expect(now?.claim.decision.state).toBe("pending");
      expect(now?.claim.metadata.uid).not.toBe(before?.claim.metadata.uid);
    });
  });

  it("joins a claim of that name from another attempt", async () => {
    claims.start();
    await policy();
    const first = await claims.configMap("thing", "root", labelled(1));
    await world.eventually(async () => expect(await claimsFor(first)).toHaveLength(1));
    const [created] = await claimsFor(first);
    const name = created?.name ?? "";
    await grantAll();
    await world.patch(claimsType, name, { metadata: { ownerReferences: [] } });
    await claims.note(name, { [annotations.candidates]: `${first},late` });
    await world.delete(configMaps, "thing");
    const uid = await claims.configMap("thing", "root", labelled(1));
    await world.eventually(async () => expect((await claims.find(name))?.bound).toBe(uid));
    expect(await claims.names()).toEqual([name]);
  });

  it("gets no claim if the policy is in Shadow mode, does not match, or uses the user of the request", async () => {
    claims.start();
    await policy({ mode: "Shadow" });
    await claims.configMap("thing", "root", labelled(1));
    await world.pass(5 * second);
    expect(await claims.names()).toEqual([]);
    await world.patch(claimPoliciesType, "things", { spec: { mode: "Enforce" } });
    await claims.configMap("uncounted", "root", {});
    await world.eventually(async () => expect(await claims.names()).toHaveLength(1));
    await world.delete(claimPoliciesType, "things");
    await policy({}, one, ['user.name == "alice"']);
    await claims.configMap("by-alice", "root", labelled(1));
    await world.pass(10 * second);
    expect(await claims.names()).toHaveLength(1);
  });

  it("gets exactly one claim despite lost responses", async () => {
    claims.start();
    await policy();
    const answers = ["not arrived", "not arrived", "lost"];
    world.intercept = async ({ method, path, body }) => {
      if (method !== "POST" || !path.endsWith("/resourceclaims")) return;
      const answer = answers.shift();
      if (answer === undefined) return;
      const { intercept } = world;
      world.intercept = () => undefined;
      if (answer === "lost") await world.create(claimsType, JSON.parse(body?.text ?? "")).catch(() => undefined);
      world.intercept = intercept;
      throw new StatusError(failure("InternalError", answer));
    };
    const uid = await claims.configMap("thing", "root", labelled(1));
    await world.pass(20 * second);
    expect(answers).toEqual([]);
    const [created, ...more] = await claimsFor(uid);
    expect(more).toEqual([]);
    const place = { plane: "root", namespace: "default", name: created?.name ?? "" };
    expect(claims.verdicts.verdict(place, created?.claim.metadata.uid ?? "")).toBe("forced");
  });
});

describe("objects older than their policy", () => {
  it("are counted in its status, and adopted only if the policy enables adoption", async () => {
    claims.start();
    const uids = [];
    for (const name of ["a", "b", "c"]) uids.push(await claims.configMap(name, "root", labelled(1)));
    await claims.configMap("uncounted");
    await world.pass(5 * second);
    await policy();
    await world.eventually(async () => expect((await policyStatus()).existingObjectCount).toBe(3));
    expect((await policyStatus()).conditions).toHaveLength(3);
    expect(await claims.names()).toEqual([]);
    await world.delete(configMaps, "c");
    await world.eventually(async () => expect((await policyStatus()).existingObjectCount).toBe(2));
    await world.patch(claimPoliciesType, "things", { spec: { existingObjects: "Adopt" } });
    await world.eventually(async () => {
      expect(await claims.names()).toHaveLength(2);
      expect((await policyStatus()).existingObjectCount).toBe(0);
    });
    expect(claims.forced.map(({ reason }) => reason)).toEqual(["adopted", "adopted"]);
  });
});

describe("a changed object", () => {
  const resize = (size: number) => world.patch(configMaps, "thing", { metadata: { labels: { size: String(size) } } });

  async function stored(size: number): Promise<string> {
    claims.start();
    await policy({}, sized);
    const uid = await claims.configMap("thing", "root", labelled(size));
    await world.eventually(async () => expect(await claimsFor(uid)).toHaveLength(1));
    await grantAll();
    await world.pass(second);
    return uid;
  }

  it("gets another claim for each growth", async () => {
    const uid = await stored(2);
    for (const [size, amounts] of [
      [5, [2, 3]],
      [8, [2, 3, 3]],
    ] as const) {
      // biome-ignore format: a table
      await resize(size);
      await world.eventually(async () => {
        expect((await claimsFor(uid)).map(({ amount }) => amount).sort()).toEqual(amounts);
      });
      await grantAll();
    }
    expect(claims.forced.map(({ reason }) => reason)).toEqual(["repaired", "grown", "grown"]);
  });

  it("gets its claim reduced, immediately if the claim is old enough", async () => {
    await stored(5);
    await world.pass(45 * second);
    await resize(3);
    await world.pass(3 * second);
    const [name] = await claims.names();
    expect(claims.shrunk).toEqual([`${name} projects=3`]);
  });

  it("keeps a claim for a pending growth until that has timed out", async () => {
    const uid = await stored(5);
    await world.pass(60 * second);
    await claims.claim("growth", { uids: [uid], amount: 4 });
    await claims.answer("growth", "QuotaAvailable");
    await world.pass(35 * second);
    expect(await claims.find("growth")).toBeDefined();
    await world.pass(10 * second);
    expect(await claims.find("growth")).toBeUndefined();
    expect(await claimsFor(uid)).toHaveLength(1);
    expect(claims.shrunk).toEqual([]);
  });

  it("loses its claim when it stops matching, despite the finalizer", async () => {
    claims.start();
    await policy();
    const uid = await claims.configMap("thing", "root", labelled(1));
    await world.eventually(async () => expect(await claimsFor(uid)).toHaveLength(1));
    expect((await claimsFor(uid))[0]?.finalizers).toEqual([claimFinalizer]);
    await grantAll();
    await world.pass(45 * second);
    await world.patch(configMaps, "thing", { metadata: { labels: { counted: "no" } } });
    await world.eventually(async () => expect(await claims.names()).toEqual([]));
  });

  it("keeps its claim when the policy is deleted or fails", async () => {
    const uid = await stored(5);
    await world.pass(45 * second);
    await world.patch(configMaps, "thing", { metadata: { labels: { size: "huge" } } });
    await world.pass(60 * second);
    expect(world.reported).toEqual([
      expect.stringMatching(/^claims for stored objects: ClaimCreationPolicy "things": /),
    ]);
    await world.delete(claimPoliciesType, "things");
    await world.pass(60 * second);
    expect(await claimsFor(uid)).toHaveLength(1);
    expect(claims.shrunk).toEqual([]);
  });

  it("is counted by the current policy", async () => {
    const uid = await stored(5);
    await world.pass(45 * second);
    const requests = [{ resourceType: "projects", amount: 7 }];
    const consumerRef = { ...organization, name: "acme" };
    await world.patch(claimPoliciesType, "things", {
      spec: { target: { resourceClaimTemplate: { spec: { consumerRef, requests } } } },
    });
    await world.eventually(async () => {
      expect((await claimsFor(uid)).map(({ amount }) => amount).sort()).toEqual([2, 5]);
    });
  });
});
