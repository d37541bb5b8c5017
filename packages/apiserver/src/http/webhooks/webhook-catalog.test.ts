import { FakeClock } from "@milo-quota/kubernetes/protocol/fake-clock.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MemoryLog } from "../../storage/log/memory-log.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import { openStore } from "../../storage/store.ts";
import type { WebhookType } from "./webhook.ts";
import { configurationResources, WebhookCatalog } from "./webhook-catalog.ts";

let store: ObjectStore;
beforeEach(async () => {
  store = await openStore(new MemoryLog(), new FakeClock());
});
afterEach(() => store.close());

async function configure(plane: string, type: WebhookType, name: string, ...webhooks: string[]): Promise<void> {
  const key = { plane, resource: configurationResources[type], namespace: "", name };
  const object = { metadata: { name }, webhooks: webhooks.map((webhook) => ({ name: webhook })) };
  await store.put(key, store.get(key)?.revision ?? 0, object);
}

describe("the webhook catalog", () => {
  it("lists the webhooks of a plane and type, in order of the names of their configurations", async () => {
    await configure("root", "mutating", "b", "third");
    await configure("root", "mutating", "a", "first", "second");
    await configure("root", "validating", "a", "other");
    await configure("project-a", "mutating", "a", "elsewhere");
    const catalog = new WebhookCatalog(store);
    expect(catalog.webhooksOf("root", "mutating").map(({ name }) => name)).toEqual(["first", "second", "third"]);
    expect(catalog.webhooksOf("root", "validating").map(({ name }) => name)).toEqual(["other"]);
    expect(catalog.webhooksOf("project-b", "mutating")).toEqual([]);
  });

  it("parses a configuration once, and again when it changes", async () => {
    await configure("root", "mutating", "a", "w");
    const catalog = new WebhookCatalog(store);
    const [first] = catalog.webhooksOf("root", "mutating");
    expect(catalog.webhooksOf("root", "mutating")[0]).toBe(first);
    await configure("root", "mutating", "a", "v");
    expect(catalog.webhooksOf("root", "mutating").map(({ name }) => name)).toEqual(["v"]);
  });
});
