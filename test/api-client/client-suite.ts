// One suite for all transports and servers: the embedded server in this process and over sockets, and a real Kubernetes.
// Long because its tests share the kinds and clients of one server.

import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import { EventRecorder, eventType } from "@milo-quota/kubernetes/client/events/event-recorder.ts";
import { LeaderElector } from "@milo-quota/kubernetes/client/lease/leader-elector.ts";
import { leaseType, parseLease } from "@milo-quota/kubernetes/client/lease/lease-object.ts";
import { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { ResourceClient } from "@milo-quota/kubernetes/client/resources/resource-client.ts";
import type { Transport } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { Informer } from "@milo-quota/kubernetes/client/watch/informer.ts";
import { type ListWatchOptions, listerWatcherFor } from "@milo-quota/kubernetes/client/watch/lister-watcher.ts";
import { Reflector } from "@milo-quota/kubernetes/client/watch/reflector.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type ConfigMap,
  configMap,
  configMaps,
  definitions,
  namespaces,
  parseAny,
  parseConfigMap,
  parseWidget,
  type Widget,
  widgetDefinition,
  widgets,
} from "./kinds.ts";

export interface TestApi {
  readonly transport: Transport;
  /** Errors that the server reported. */
  readonly faults: readonly unknown[];
  stop(): Promise<void>;
}

const random = { fraction: Math.random };

export function clientSuite(name: string, start: () => Promise<TestApi>): void {
  describe(name, () => {
    let api: TestApi;
    let client: KubeClient;
    let maps: ResourceClient<ConfigMap>;
    const { signal } = new AbortController();
    const namespace = "client-suite";
    const ref = (object: string): { namespace: string; name: string } => ({ namespace, name: object });

    beforeAll(async () => {
      api = await start();
      client = new KubeClient(api.transport);
      maps = client.resource(configMaps, parseConfigMap);
      const createdObject = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
      await client.resource(namespaces, parseAny).create(createdObject, {}, signal);
    }, 1_800_000);

    afterAll(async () => {
      await api.transport.close();
      await api.stop();
    });

    it("creates, reads, changes and deletes an object", async () => {
      const created = await maps.create(configMap(namespace, "plain", { a: "1" }), {}, signal);
      expect(await maps.get(ref("plain"), signal)).toEqual(created);
      const changed = await maps.update({ ...created, ...{ data: { a: "2" } } }, {}, signal);
      expect(changed.data).toEqual({ a: "2" });
      expect(await maps.delete(ref("plain"), {}, signal)).toEqual({ outcome: "gone" });
      expect(await maps.find(ref("plain"), signal)).toBeUndefined();
    });

    const rejections: Record<string, [() => Promise<unknown>, code: number, reason: string, expectedMessage: string]> =
      {
        "a missing object": [() => maps.get(ref("nowhere"), signal), 404, "NotFound", 'configmaps "nowhere" not found'],
        "a name that exists": [
          async () => {
            await maps.create(configMap(namespace, "taken"), {}, signal);
            await maps.create(configMap(namespace, "taken"), {}, signal);
          },
          409,
          "AlreadyExists",
          'configmaps "taken" already exists',
        ],
        "an update with a stale resource version": [
          async () => {
            const seen = await maps.create(configMap(namespace, "raced"), {}, signal);
            await maps.update({ ...seen, ...{ data: { by: "them" } } }, {}, signal);
            await maps.update({ ...seen, ...{ data: { by: "us" } } }, {}, signal);
          },
          409,
          "Conflict",
          "the object has been modified",
        ],
        "an invalid object": [
          () => maps.create(configMap(namespace, "Not_A_Name"), {}, signal),
          422,
          "Invalid",
          "metadata.name: Invalid value",
        ],
        "a kind that is not served": [
          () => client.resource({ ...widgets, plural: "gadgets" }, parseAny).find(ref("x"), signal),
          404,
          "NotFound",
          "the server could not find the requested resource",
        ],
      };
    it.each(Object.entries(rejections))(
      "throws the server's status for %s",
      async (_name, [work, code, reason, message]) => {
        const error = await work().catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(StatusError);
        const { status } = error as StatusError;
        expect({ code: status.code, reason: status.reason }).toEqual({ code, reason });
        expect(status.message).toContain(message);
      },
    );

    it("deletes only the object with the given UID", async () => {
      const { metadata } = await maps.create(configMap(namespace, "meant"), {}, signal);
      const other = maps.delete(ref("meant"), { uid: "11111111-2222-3333-4444-555555555555" }, signal);
      await expect(other).rejects.toMatchObject({ status: { code: 409, reason: "Conflict" } });
      const { uid = "", resourceVersion = "" } = metadata;
      expect(await maps.delete(ref("meant"), { uid, resourceVersion }, signal)).toEqual({ outcome: "gone" });
    });

    it("distinguishes an object that is being deleted from a deleted one", async () => {
      const held = configMap(namespace, "held");
      await maps.create({ ...held, metadata: { ...held.metadata, finalizers: ["example.com/hold"] } }, {}, signal);
      expect(await maps.delete(ref("held"), {}, signal)).toMatchObject({ outcome: "going" });
      await maps.patch(ref("held"), { type: "merge", body: { metadata: { finalizers: null } } }, {}, signal);
      expect(await maps.find(ref("held"), signal)).toBeUndefined();
    });

    it("stores nothing in a dry run", async () => {
      await maps.create(configMap(namespace, "tried"), { dryRun: true }, signal);
      expect(await maps.find(ref("tried"), signal)).toBeUndefined();
    });

    it("patches with all patch types", async () => {
      await maps.create(configMap(namespace, "patched", { a: "1", b: "1" }), {}, signal);
      await maps.patch(ref("patched"), { type: "merge", body: { data: { a: null, c: "3" } } }, {}, signal);
      await maps.patch(ref("patched"), { type: "strategic", body: { data: { d: "4" } } }, {}, signal);
      const steps = [{ op: "replace", path: "/data/b", value: "2" }];
      const { data } = await maps.patch(ref("patched"), { type: "json", body: steps }, {}, signal);
      expect(data).toEqual({ b: "2", c: "3", d: "4" });
    });

    it("applies, and conflicts with another field manager unless forced", async () => {
      await maps.apply(configMap(namespace, "applied", { a: "1" }), { fieldManager: "one" }, signal);
      const other = configMap(namespace, "applied", { a: "2" });
      const rejected = maps.apply(other, { fieldManager: "two" }, signal);
      await expect(rejected).rejects.toMatchObject({ status: { reason: "Conflict" } });
      const forced = await maps.apply(other, { fieldManager: "two", force: true }, signal);
      expect(forced.data).toEqual({ a: "2" });
    });

    it("lists in pages and by labels", async () => {
      for (const at of [1, 2, 3, 4, 5]) {
        const createdObject = configMap(namespace, `page-${at}`);
        await maps.create(
          { ...createdObject, metadata: { ...createdObject.metadata, labels: { suite: "pages" } } },
          {},
          signal,
        );
      }
      const names: string[][] = [];
      for await (const page of maps.pages({ namespace, labelSelector: "suite=pages", limit: 2 }, signal)) {
        names.push(page.items.map(({ metadata }) => metadata.name ?? ""));
      }
      expect(names).toEqual([["page-1", "page-2"], ["page-3", "page-4"], ["page-5"]]);
    });

    describe("with a custom kind", () => {
      let things: ResourceClient<Widget>;

      beforeAll(async () => {
        const kinds = client.resource(definitions, parseAny);
        await kinds.create(widgetDefinition, {}, signal);
        things = client.resource(widgets, parseWidget);
        for (;;) {
          const served = await things.list({ namespace }, signal).then(
            () => true,
            () => false,
          );
          if (served) break;
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      });

      const widget = (thing: string, amount: number | bigint): Widget => ({
        apiVersion: "client.example.com/v1",
        kind: "Widget",
        metadata: { namespace, name: thing },
        spec: { amount },
      });

      it("preserves integers beyond 2^53", async () => {
        const amount = 9_007_199_254_740_993n;
        await things.create(widget("exact", amount), {}, signal);
        expect((await things.get(ref("exact"), signal)).spec.amount).toBe(amount);
      });

      it("updates only the status through the status subresource", async () => {
        const createdObject = await things.create(widget("judged", 1), {}, signal);
        const sent = { ...createdObject, spec: { amount: 2 }, status: { phase: "Ready" } };
        const { spec, status } = await things.updateStatus(sent, {}, signal);
        expect({ spec, status }).toEqual({ spec: { amount: 1 }, status: { phase: "Ready" } });
        const patch = { type: "merge", body: { status: { phase: "Done" } } } as const;
        const patched = await things.patch(ref("judged"), patch, { subresource: "status" }, signal);
        expect(patched.status).toEqual({ phase: "Done" });
      });

      it("reports an object that the parser rejects", async () => {
        const strict = client.resource(widgets, parseConfigMap);
        await things.create(widget("odd", 1), {}, signal);
        await expect(strict.get(ref("odd"), signal)).rejects.toThrow(
          'widgets "client-suite/odd" cannot be read: kind: must be ConfigMap',
        );
      });
    });

    describe("informers", () => {
      const informer = (selection: ListWatchOptions): Informer<ConfigMap, string> =>
        new Informer({
          source: listerWatcherFor(maps, api.transport, { namespace, ...selection }),
          parse: parseConfigMap,
          transform: ({ data }) => data?.["value"] ?? "",
          clock: systemClock,
          random,
          report: () => undefined,
        });

      it("deliver existing objects, creates, updates and deletes", async () => {
        await maps.create(labelled("seen-1", "one"), {}, signal);
        const events: string[] = [];
        const watching = informer({ labelSelector: "suite=seen" });
        watching.subscribe({
          onAdd: ({ name: object }, now) => events.push(`+ ${object} ${now}`),
          onUpdate: ({ name: object }, before, now) => events.push(`~ ${object} ${before} ${now}`),
          onDelete: ({ name: object }, before) => events.push(`- ${object} ${before}`),
        });
        watching.start();
        await watching.synced;
        const second = await maps.create(labelled("seen-2", "two"), {}, signal);
        await maps.update({ ...second, ...{ data: { value: "deux" } } }, {}, signal);
        await maps.delete(ref("seen-1"), {}, signal);
        const last = await maps.create(labelled("seen-3", "three"), {}, signal);
        await watching.waitForRevision(last.metadata.resourceVersion ?? "", signal);
        await watching.stop();
        expect(events).toEqual(["+ seen-1 one", "+ seen-2 two", "~ seen-2 two deux", "- seen-1 one", "+ seen-3 three"]);
        expect([...watching.entries()].map(([place, kept]) => [place.name, kept])).toEqual([
          ["seen-2", "deux"],
          ["seen-3", "three"],
        ]);
      });

      it("contain our own write after waiting for its revision", async () => {
        const watching = informer({});
        watching.start();
        for (const at of [1, 2, 3]) {
          const { metadata } = await maps.create(configMap(namespace, `own-${at}`, { value: `${at}` }), {}, signal);
          await watching.waitForRevision(metadata.resourceVersion ?? "", signal);
          expect(watching.get({ plane: "root", namespace, name: `own-${at}` })).toBe(`${at}`);
        }
        await watching.stop();
      });

      it("contain all earlier writes after a freshness check", async () => {
        const watching = informer({ labelSelector: "suite=fresh" });
        watching.start();
        for (const at of [1, 2, 3]) {
          await maps.create(labelled(`fresh-${at}`, `${at}`, "fresh"), {}, signal);
          const unseen = await maps.create(configMap(namespace, `unseen-${at}`), {}, signal);
          await watching.waitUntilFresh(signal);
          expect(watching.get({ plane: "root", namespace, name: `fresh-${at}` })).toBe(`${at}`);
          expect(Number(watching.revision)).toBeGreaterThanOrEqual(Number(unseen.metadata.resourceVersion));
        }
        await watching.stop();
      });

      it("relist on request without duplicate events", async () => {
        const events: string[] = [];
        const watching = informer({ labelSelector: "suite=again" });
        watching.subscribe({
          onAdd: ({ name: object }) => events.push(object),
          onDelete: ({ name: object }) => events.push(`-${object}`),
        });
        await maps.create(labelled("again-1", "one", "again"), {}, signal);
        watching.start();
        await watching.synced;
        watching.refresh();
        const last = await maps.create(labelled("again-2", "two", "again"), {}, signal);
        await watching.waitForRevision(last.metadata.resourceVersion ?? "", signal);
        await watching.stop();
        expect(events).toEqual(["again-1", "again-2"]);
      });

      function labelled(object: string, value: string, suite = "seen"): ConfigMap {
        const createdObject = configMap(namespace, object, { value });
        return { ...createdObject, metadata: { ...createdObject.metadata, labels: { suite } } };
      }
    });

    it("can watch from now on without existing objects", async () => {
      await maps.create(configMap(namespace, "before-now"), {}, signal);
      const stopped = new AbortController();
      const seen: string[] = [];
      let open: () => void = () => undefined;
      const opened = new Promise<void>((resolve) => {
        open = resolve;
      });
      const note = (object: JsonObject): void => void seen.push((object["metadata"] as JsonObject)["name"] as string);
      const observer = {
        onReplaceStarted: () => undefined,
        onReplaced: () => open(),
        onPresent: note,
        onDeleted: note,
        onProgress: () => seen.includes("after-now") && stopped.abort(),
        onError: () => undefined,
      };
      const source = listerWatcherFor(maps, api.transport, { namespace });
      const running = new Reflector(source, observer, { clock: systemClock, random, begin: "now" }).run(stopped.signal);
      await opened;
      await maps.create(configMap(namespace, "after-now"), {}, signal);
      await running;
      expect(seen).toEqual(["after-now"]);
    });

    it("fails to watch a kind that is not served", async () => {
      const none = client.resource({ ...widgets, plural: "gadgets" }, parseAny);
      const call = none.collectionCall({}, new URLSearchParams({ watch: "true" }));
      const sink = { onOpened: () => undefined, onLine: () => undefined };
      await expect(api.transport.stream(call, sink, signal)).rejects.toMatchObject({ status: { code: 404 } });
    });

    it("delivers nothing after the reader aborts a stream", async () => {
      const stopped = new AbortController();
      const enough = new Error("enough");
      let lines = 0;
      const call = maps.collectionCall({ namespace }, new URLSearchParams({ watch: "true" }));
      const onLine = (): void => {
        lines += 1;
        stopped.abort(enough);
      };
      const streaming = api.transport.stream(call, { onOpened: () => undefined, onLine }, stopped.signal);
      await expect(streaming).rejects.toBe(enough);
      const received = lines;
      await maps.create(configMap(namespace, "unheard"), {}, signal);
      expect(lines).toBe(received);
    });

    it("ends a stream without an error when the server closes it", async () => {
      const call = maps.collectionCall({ namespace }, new URLSearchParams({ watch: "true", timeoutSeconds: "1" }));
      const received: string[] = [];
      const sink = { onOpened: () => received.push("opened"), onLine: () => received.push("line") };
      await api.transport.stream(call, sink, signal);
      expect(received[0]).toBe("opened");
    });

    it("elects one leader, and another when it steps down", async () => {
      const leases = client.resource(leaseType, parseLease);
      const acts: string[] = [];
      const candidate = (identity: string): { stop(): Promise<void>; led: Promise<void> } => {
        const stopped = new AbortController();
        let lead: () => void = () => undefined;
        const led = new Promise<void>((resolve) => {
          lead = resolve;
        });
        const election = new LeaderElector({
          leases,
          namespace,
          name: "suite",
          identity,
          onStartedLeading: async (term) => {
            election.fence();
            acts.push(`${identity} leads`);
            lead();
            await new Promise<void>((resolve) => term.addEventListener("abort", () => resolve()));
            acts.push(`${identity} is done`);
          },
          clock: systemClock,
          elapsedMs: () => performance.now(),
          random,
          report: () => undefined,
          limits: { leaseMs: 1_000, renewMs: 250 },
        });
        const running = election.run(stopped.signal);
        const stop = (): Promise<void> => {
          stopped.abort();
          return running;
        };
        return { led, stop };
      };
      const first = candidate("first");
      await first.led;
      const second = candidate("second");
      await first.stop();
      await second.led;
      await second.stop();
      expect(acts).toEqual(["first leads", "first is done", "second leads", "second is done"]);
      const left = await leases.get({ namespace, name: "suite" }, signal);
      expect({ holder: left.holder, transitions: left.transitions }).toEqual({ holder: "", transitions: 1 });
    });

    it("records events and counts repeated ones", async () => {
      const events = client.resource(eventType, parseAny);
      const recorder = new EventRecorder({
        eventsOf: () => events,
        source: { component: "suite", instance: "suite-0" },
        clock: systemClock,
        random,
        report: (error) => expect.fail(String(error)),
      });
      const about = { apiVersion: "v1", kind: "ConfigMap", namespace, name: "eventful", uid: "1-2-3" };
      for (let times = 0; times < 3; times += 1) {
        recorder.record("root", about, { type: "Warning", reason: "Denied", message: "no room" });
      }
      await recorder.stop();
      const selected = { namespace, fieldSelector: "involvedObject.name=eventful" };
      const { items } = await events.list(selected, signal);
      expect(items).toHaveLength(1);
      expect(items[0]).toMatchObject({ reason: "Denied", message: "no room", count: 3, series: { count: 3 } });
    });

    it("the server reported no errors", () => {
      expect(api.faults).toEqual([]);
    });
  });
}
