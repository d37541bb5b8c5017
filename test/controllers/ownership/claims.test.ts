import { randomUUID } from "node:crypto";
import { failure, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { annotations, claimFinalizer } from "@milo-quota/quota/core/resources/well-known.ts";
import { claimsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { QuotaWorld } from "../grants/quota-world.ts";
import { AutomaticClaims, type ClaimFor, configMaps, namespaces, uidOf } from "./automatic-claims.ts";

let world: QuotaWorld;
let claims: AutomaticClaims;
const second = 1_000;

beforeEach(async () => {
  world = await QuotaWorld.start(["root", "project-a"]);
  claims = new AutomaticClaims(world);
});
afterEach(() => world.stop());

const gone =
  (name: string, plane = "root") =>
  async () =>
    expect(await claims.find(name, plane)).toBeUndefined();

describe("a stored object", () => {
  it("owns its claim, which is deleted with it", async () => {
    claims.start();
    const uid = await claims.configMap("thing");
    await claims.claim("c", { uids: [uid] });
    await world.eventually(async () => expect((await claims.find("c"))?.bound).toBe(uid));
    const { owners } = (await claims.find("c")) ?? {};
    const owner = { apiVersion: "v1", kind: "ConfigMap", name: "thing", uid };
    expect(owners).toEqual([{ ...owner, controller: false, blockOwnerDeletion: false }]);
    await world.delete(configMaps, "thing");
    await world.eventually(gone("c"));
  });

  it("is bound when it is stored, and other owners of the claim are kept", async () => {
    claims.start();
    const other = await claims.configMap("other");
    const owner = { apiVersion: "v1", kind: "ConfigMap", name: "other", uid: other };
    await claims.claim("first", { uids: ["x"], object: "another" });
    const uid = await claims.configMap("thing");
    await claims.claim("c", { uids: [uid] });
    await world.patch(claimsType, "c", { metadata: { ownerReferences: [owner] } });
    await world.eventually(async () => {
      expect((await claims.find("c"))?.owners.map((each) => each.uid)).toEqual([other, uid]);
    });
  });

  it.each<[string, Pick<ClaimFor, "objectPlane" | "objectNamespace">]>([
    ["in another plane", { objectPlane: "project-a" }],
    ["in another namespace", { objectNamespace: "kube-system" }],
  ])("%s does not own its claim, which is still deleted with it", async (_, where) => {
    claims.start();
    const [plane, namespace] = [where.objectPlane ?? "root", where.objectNamespace ?? "default"];
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "thing", namespace } };
    const uid = uidOf(await world.create(configMaps, object, plane));
    await claims.claim("c", { uids: [uid], ...where });
    await world.eventually(async () => expect((await claims.find("c"))?.bound).toBe(uid));
    expect((await claims.find("c"))?.owners).toEqual([]);
    await world.resource(configMaps, plane).delete({ namespace, name: "thing" }, {}, new AbortController().signal);
    await world.eventually(gone("c"));
    expect(claims.events).toEqual([]);
  });

  it("owns claims in any namespace if it is cluster-scoped", async () => {
    claims.start();
    const object = { apiVersion: "v1", kind: "Namespace", metadata: { name: "space" } };
    const uid = uidOf(await world.create(namespaces, object));
    await claims.claim("c", { uids: [uid], kind: "Namespace", object: "space", objectNamespace: "" });
    await world.eventually(async () => expect((await claims.find("c"))?.owners.map((each) => each.uid)).toEqual([uid]));
  });

  it("becomes the only candidate when the other creates have timed out", async () => {
    claims.start();
    const uid = await claims.configMap("thing");
    await claims.claim("c", { uids: ["late", uid] });
    await world.eventually(async () => expect((await claims.find("c"))?.bound).toBe(uid));
    await world.pass(35 * second);
    expect(await claims.find("c")).toMatchObject({ listed: ["late", uid], owners: [] });
    await world.pass(10 * second);
    expect(await claims.find("c")).toMatchObject({ listed: [uid], owners: [{ uid }] });
  });

  it("is bound without losing a candidate that joins at the same time", async () => {
    claims.start();
    const uid = await claims.configMap("thing");
    let joined = false;
    world.intercept = async ({ method, path }) => {
      if (joined || method !== "PATCH" || !path.endsWith("/resourceclaims/c")) return;
      joined = true;
      await claims.note("c", { [annotations.candidates]: `${uid},late` });
    };
    await claims.claim("c", { uids: [uid] });
    await world.eventually(async () => expect((await claims.find("c"))?.bound).toBe(uid));
    expect(joined).toBe(true);
    expect(await claims.find("c")).toMatchObject({ listed: [uid, "late"], owners: [] });
  });

  it("leaves the claim to other candidates when it is deleted", async () => {
    claims.start();
    const uid = await claims.configMap("thing");
    await claims.claim("c", { uids: [uid, "late"] });
    await world.eventually(async () => expect((await claims.find("c"))?.bound).toBe(uid));
    await world.delete(configMaps, "thing");
    await world.eventually(async () => expect(await claims.find("c")).toMatchObject({ listed: ["late"] }));
    expect((await claims.find("c"))?.bound).toBeUndefined();
    await world.pass(30 * second);
    expect(await claims.find("c")).toBeDefined();
    await world.pass(12 * second);
    await gone("c")();
  });
});

describe("an unused claim", () => {
  it("is deleted after its TTL, not before", async () => {
    claims.start();
    await claims.claim("c", { uids: [randomUUID()] });
    await world.pass(39 * second);
    expect(await claims.find("c")).toBeDefined();
    await world.pass(2 * second);
    await gone("c")();
    expect(claims.events).toEqual(["root/c UnusedClaimDeleted: Deleted because its object was never stored."]);
  });

  it("gets a new TTL when a candidate joins and after a restart", async () => {
    const ownership = claims.start();
    await claims.claim("c", { uids: ["a"] });
    await world.pass(30 * second);
    await claims.note("c", { [annotations.candidates]: "a,b" });
    await world.pass(30 * second);
    await ownership.stop();
    claims.start();
    await world.pass(30 * second);
    expect(await claims.find("c")).toBeDefined();
    await world.pass(12 * second);
    await gone("c")();
  });

  it("has a TTL by the monotonic clock", async () => {
    const begunMs = world.clock.now();
    claims.start({ runtime: { ...world.runtime, elapsedMs: () => (world.clock.now() - begunMs) / 2 } });
    await claims.claim("c", { uids: [randomUUID()] });
    await world.pass(79 * second);
    expect(await claims.find("c")).toBeDefined();
    await world.pass(5 * second);
    await gone("c")();
  });

  it("is kept as long as its object cannot be read", async () => {
    claims.start();
    let isDown = true;
    world.intercept = ({ method, path }) => {
      const asksForObject = method === "GET" && path.includes("/configmaps/");
      if (isDown && asksForObject) throw new StatusError(failure("ServiceUnavailable", "out of order"));
    };
    await claims.claim("c", { uids: ["a"] });
    await world.pass(120 * second);
    expect(await claims.find("c")).toBeDefined();
    expect(world.reported).toContain("ownership of claim default/c: out of order");
    isDown = false;
    await world.pass(40 * second);
    await gone("c")();
  });

  it("is deleted if the kind of its object is not served", async () => {
    claims.start();
    await claims.claim("c", { uids: ["a"], bound: "a", apiGroup: "unknown.example.com", kind: "Thing" });
    await world.eventually(gone("c"));
  });

  it("is not deleted if a candidate joins at the last moment", async () => {
    claims.start();
    await claims.claim("c", { uids: ["a"] });
    let joined = false;
    world.intercept = async ({ method, path }) => {
      if (joined || method !== "DELETE" || !path.endsWith("/resourceclaims/c")) return;
      joined = true;
      await claims.note("c", { [annotations.candidates]: "a,b" });
    };
    await world.pass(60 * second);
    expect(joined).toBe(true);
    expect((await claims.find("c"))?.listed).toEqual(["a", "b"]);
  });
});

describe("a denied claim", () => {
  it("is deleted after a minute, with an event that has its message", async () => {
    claims.start();
    const uid = await claims.configMap("thing");
    await claims.claim("c", { uids: ["a"] });
    await claims.answer("c", "QuotaExceeded");
    await claims.claim("stored", { uids: [uid] });
    await claims.answer("stored", "QuotaExceeded");
    await world.pass(59 * second);
    expect((await claims.find("c"))?.bound).toBeUndefined();
    await world.pass(2 * second);
    await gone("c")();
    expect(claims.events).toContain("root/c DeniedClaimDeleted: Deleted after it was denied. because of QuotaExceeded");
  });
});

describe("a manual claim", () => {
  it("is never changed", async () => {
    claims.start();
    await claims.claim("c", { uids: ["a"], manual: true });
    await claims.claim("denied", { uids: ["a"], manual: true });
    await claims.answer("denied", "QuotaExceeded");
    const writes = world.writes.length;
    await world.pass(300 * second);
    expect(await claims.names()).toEqual(["c", "denied"]);
    expect(world.writes).toHaveLength(writes);
  });
});

describe("claims at the start of the controller", () => {
  it("are reconciled with objects that were created and deleted meanwhile", async () => {
    const uid = await claims.configMap("came");
    await claims.claim("came", { uids: [uid], object: "came" });
    await claims.claim("went", { uids: ["w"], bound: "w", object: "went" });
    await claims.claim("other", { uids: ["o"], bound: "o", object: "came" });
    claims.start();
    await world.eventually(async () => {
      expect((await claims.find("came"))?.bound).toBe(uid);
      await gone("went")();
      await gone("other")();
    });
  });

  it("are not written again once they are reconciled", async () => {
    claims.start();
    const uid = await claims.configMap("thing");
    await claims.claim("c", { uids: [uid] });
    await world.eventually(async () => expect((await claims.find("c"))?.bound).toBe(uid));
    await world.pass(second);
    const writes = world.writes.length;
    await world.pass(600 * second);
    expect(world.writes).toHaveLength(writes);
    expect(world.reported).toEqual([]);
  });

  it("are reconciled in one plane while another does not answer", async () => {
    let answer: () => void = () => undefined;
    const silence = new Promise<void>((resolve) => {
      answer = resolve;
    });
    world.intercept = ({ path }) => (path.startsWith("/planes/project-a") ? silence : undefined);
    claims.start();
    for (let at = 0; at < 40; at += 1) {
      await claims.claim(`dead-${at}`, { uids: ["a"], bound: "a", objectPlane: "project-a" });
    }
    await world.pass(second);
    const uid = await claims.configMap("thing");
    await claims.claim("c", { uids: [uid], objectNamespace: "default" });
    await claims.claim("went", { uids: ["w"], bound: "w", object: "went" });
    await world.pass(3 * second);
    expect((await claims.find("c"))?.bound).toBe(uid);
    await gone("went")();
    expect(await claims.names()).toHaveLength(41);
    answer();
  });
});

describe("the finalizer", () => {
  const has = async (name: string) => (await claims.find(name))?.finalizers.includes(claimFinalizer);

  it("is on bound claims and keeps them until their object is gone", async () => {
    claims.start();
    const uid = await claims.configMap("thing");
    await claims.claim("c", { uids: [uid] });
    await world.eventually(async () => expect(await has("c")).toBe(true));
    await world.delete(claimsType, "c");
    await world.pass(120 * second);
    expect((await claims.find("c"))?.isGoing).toBe(true);
    await world.delete(configMaps, "thing");
    await world.eventually(gone("c"));
  });

  it("is not on unbound claims, so that they can be withdrawn immediately", async () => {
    claims.start();
    await claims.claim("c", { uids: ["x"] });
    await claims.answer("c", "QuotaAvailable");
    await world.pass(10 * second);
    expect([(await claims.find("c"))?.bound, await has("c")]).toEqual([undefined, false]);
  });

  it("is added to foreign finalizers", async () => {
    claims.start();
    const uid = await claims.configMap("thing");
    await claims.claim("c", { uids: [uid], finalizers: ["example.com/mine"] });
    await world.eventually(async () => expect(await has("c")).toBe(true));
    expect((await claims.find("c"))?.finalizers).toEqual(["example.com/mine", claimFinalizer]);
  });

  it("is removed from deleted manual and denied claims; foreign finalizers stay", async () => {
    claims.start();
    await claims.claim("manual", { manual: true, finalizers: [claimFinalizer] });
    await claims.claim("denied", { uids: ["a"], finalizers: [claimFinalizer, "example.com/mine"] });
    await claims.answer("denied", "QuotaExceeded");
    for (const name of ["manual", "denied"]) await world.delete(claimsType, name);
    await world.eventually(async () => {
      await gone("manual")();
      expect((await claims.find("denied"))?.finalizers).toEqual(["example.com/mine"]);
    });
  });
});
