import { FakeClock } from "@milo-quota/kubernetes/protocol/fake-clock.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MemoryLog } from "../../../storage/log/memory-log.ts";
import type { ObjectStore } from "../../../storage/object-store.ts";
import { openStore } from "../../../storage/store.ts";
import { resourceAttributes } from "../authorizer.ts";
import { rbacAuthorizer } from "./rbac-authorizer.ts";
import { storedRbacObjects } from "./rbac-objects.ts";
import { PolicyIndex } from "./rules-by-subject.ts";

const group = "rbac.authorization.k8s.io";
const alice = { username: "alice", uid: "", groups: [], extra: {} };

let store: ObjectStore;
let policies: PolicyIndex;

beforeEach(async () => {
  store = await openStore(new MemoryLog(), new FakeClock());
  policies = new PolicyIndex(storedRbacObjects(store));
});

afterEach(async () => {
  policies.stop();
  await store.close();
});

const keyOf = (plane: string, resource: string, name: string) => {
  const namespace = resource.startsWith("cluster") ? "" : "shop";
  return { plane, resource: `${resource}.${group}`, namespace, name };
};

async function put(plane: string, resource: string, object: JsonObject): Promise<void> {
  const key = keyOf(plane, resource, String((object["metadata"] as JsonObject)["name"]));
  expect((await store.put(key, store.get(key)?.revision ?? 0, object)).ok).toBe(true);
}

async function mayGet(resource: string, plane = "root"): Promise<boolean> {
  const attributes = resourceAttributes(alice, { verb: "get", plane, group: "", resource, namespace: "shop" });
  return (await rbacAuthorizer(policies).authorize(attributes, new AbortController().signal)).outcome === "allow";
}

const role = (...resources: string[]): JsonObject => ({
  kind: "Role",
  metadata: { name: "r", namespace: "shop" },
  rules: [{ apiGroups: [""], resources, verbs: ["get"] }],
});

const binding: JsonObject = {
  kind: "RoleBinding",
  metadata: { name: "b", namespace: "shop" },
  roleRef: { apiGroup: group, kind: "Role", name: "r" },
  subjects: [{ kind: "User", name: "alice" }],
};

describe("roles and bindings in the store", () => {
  it("take effect when they are stored, changed and deleted, before and after the first request", async () => {
    await put("root", "roles", role("pods"));
    await put("root", "rolebindings", binding);
    expect([await mayGet("pods"), await mayGet("secrets")]).toEqual([true, false]);
    await put("root", "roles", role("secrets"));
    expect([await mayGet("pods"), await mayGet("secrets")]).toEqual([false, true]);
    const key = keyOf("root", "rolebindings", "b");
    await store.remove(key, store.get(key)?.revision ?? 0, binding);
    expect(await mayGet("secrets")).toBe(false);
  });

  it("apply to their own plane only", async () => {
    await put("project-a", "roles", role("pods"));
    await put("project-a", "rolebindings", binding);
    expect([await mayGet("pods", "project-a"), await mayGet("pods")]).toEqual([true, false]);
  });

  it("of the cluster apply too", async () => {
    await put("root", "clusterroles", { ...role("pods"), kind: "ClusterRole", metadata: { name: "r" } });
    await put("root", "clusterrolebindings", {
      ...binding,
      kind: "ClusterRoleBinding",
      metadata: { name: "b" },
      roleRef: { apiGroup: group, kind: "ClusterRole", name: "r" },
    });
    expect(await mayGet("pods")).toBe(true);
  });

  it("are no longer watched once the index is stopped", async () => {
    expect(await mayGet("pods")).toBe(false);
    const seen: unknown[] = [];
    const stop = storedRbacObjects(store).watch((changed) => seen.push([changed.resource, changed.name]));
    await put("root", "roles", role("pods"));
    stop();
    await put("root", "rolebindings", binding);
    expect(seen).toEqual([["roles", "r"]]);
  });
});
