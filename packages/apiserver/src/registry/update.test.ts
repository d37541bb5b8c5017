import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { FakeClock } from "@milo-quota/kubernetes/protocol/fake-clock.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MemoryLog } from "../storage/log/memory-log.ts";
import { openStore } from "../storage/store.ts";
import { AdmissionChain } from "./admission/admission-chain.ts";
import { configMap } from "./builtin/kinds/config-map.ts";
import { namespace } from "./builtin/kinds/namespace.ts";
import { createObject } from "./create.ts";
import type { ApiObject } from "./kinds/api-object.ts";
import type { ServedKind } from "./kinds/served-kind.ts";
import type { WriteRequest } from "./object-request.ts";
import { nextByPatch } from "./patch-state.ts";
import type { Registry } from "./registry.ts";
import { nextByReplacement, updateObject } from "./update.ts";

function requestFor(kind: ServedKind, namespaceName: string): WriteRequest {
  return {
    plane: "root",
    kind,
    namespace: namespaceName,
    subresource: "",
    user: { username: "ann", uid: "", groups: [], extra: {} },
    manager: "test",
    dryRun: false,
    fieldValidation: "Strict",
    warn: () => undefined,
    signal: new AbortController().signal,
  };
}

const request = requestFor(configMap, "team");
const object = (kind: string, name: string): ApiObject => ({ apiVersion: "v1", kind, metadata: { name } });

describe("concurrent writes of one object", () => {
  const clock = new FakeClock();
  let registry: Registry;

  /** Passes all writes through validation before any of them is stored, like a slow webhook. */
  const slow = {
    name: "slow",
    mutate: async ({ object: admitted }: { readonly object?: ApiObject | undefined }): Promise<ApiObject> => {
      await new Promise((resolve) => setImmediate(resolve));
      return admitted as ApiObject;
    },
  };

  beforeEach(async () => {
    const store = await openStore(new MemoryLog(), clock);
    let uids = 0;
    const random = { fraction: () => 0, uuid: () => `uid-${uids++}` as ReturnType<Registry["random"]["uuid"]> };
    registry = { store, admission: new AdmissionChain([slow], () => undefined), clock, random };
    await createObject(registry, requestFor(namespace, ""), object("Namespace", "team"));
    await createObject(registry, request, object("ConfigMap", "settings"));
  });
  afterEach(() => registry.store.close());

  it("patches all take effect in sequence", async () => {
    const keys = Array.from({ length: 8 }, (_, index) => `key-${index}`);
    await Promise.all(
      keys.map((key) => {
        const text = JSON.stringify({ data: { [key]: "set" } });
        const next = nextByPatch({ type: "merge", text, force: false, name: "settings" }, request, clock);
        return updateObject(registry, request, "settings", next);
      }),
    );
    const key = { plane: "root", resource: "configmaps", namespace: "team", name: "settings" };
    const stored = registry.store.get(key)?.object as { readonly data?: object } | undefined;
    expect(Object.keys(stored?.data ?? {}).sort()).toEqual(keys);
  });

  it("a replacement with a stale resourceVersion is rejected", async () => {
    const key = { plane: "root", resource: "configmaps", namespace: "team", name: "settings" };
    const known = registry.store.get(key)?.object as ApiObject;
    const replace = (color: string) => {
      const sent = { ...(known as JsonObject), data: { color } } as unknown as ApiObject;
      return updateObject(registry, request, "settings", nextByReplacement(sent, request, clock));
    };
    const [first, second] = await Promise.allSettled([replace("red"), replace("blue")]);
    expect(first.status).toBe("fulfilled");
    expect(second.status).toBe("rejected");
    expect((second as PromiseRejectedResult).reason).toBeInstanceOf(StatusError);
    expect((second as PromiseRejectedResult).reason.status).toMatchObject({ code: 409, reason: "Conflict" });
  });
});
