import { type EmbeddedServer, startEmbedded } from "@milo-quota/apiserver/embedded-server.ts";
import { MemoryLog } from "@milo-quota/apiserver/storage/log/memory-log.ts";
import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import { KubeClient, rootPlane } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import { directTransport } from "@milo-quota/kubernetes/client/transport/direct-transport.ts";
import type { LineSink, StreamEvent, Transport } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { failure, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { FakeClock } from "@milo-quota/kubernetes/protocol/fake-clock.ts";
import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { crdOf } from "@milo-quota/kubernetes/schema/crd.ts";
import { ClaimStreams } from "@milo-quota/quota/admission/claims/claim-streams.ts";
import type { StreamsObserver } from "@milo-quota/quota/admission/claims/stream-observer.ts";
import { claimManifest } from "@milo-quota/quota/core/policy/claim-policy.ts";
import { parseResourceClaim, resourceClaimDefinition } from "@milo-quota/quota/core/resources/resource-claim.ts";
import { annotations } from "@milo-quota/quota/core/resources/well-known.ts";
import { renderedClaim } from "@milo-quota/quota/test/claim-fixtures.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { definitionsType } from "./object-types.ts";
import { eventually, signal, systemUser } from "./test-world.ts";

/** A transport whose streams can be cut and kept from reconnecting. Records requests and can inject events. */
class CuttableNetwork {
  readonly #inner: Transport;
  readonly #cuts = new Set<(error: unknown) => void>();
  readonly #sinks = new Set<LineSink>();
  /** Paths of requests that are not streams. */
  readonly requests: string[] = [];
  /** Error for new streams; undefined lets them through. */
  streamError: Error | undefined;

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  get transport(): Transport {
    return {
      ...this.#inner,
      request: (call, ended) => {
        this.requests.push(call.path);
        return this.#inner.request(call, ended);
      },
      stream: async (call, sink, ended) => {
        if (this.streamError !== undefined) throw this.streamError;
        const life = new AbortController();
        ended.addEventListener("abort", () => life.abort(ended.reason), { once: true });
        let cut: (error: unknown) => void = () => undefined;
        const isCut = new Promise<never>((_, reject) => {
          cut = reject;
        });
        this.#cuts.add(cut);
        this.#sinks.add(sink);
        try {
          await Promise.race([this.#inner.stream(call, sink, life.signal), isCut]);
        } finally {
          this.#cuts.delete(cut);
          this.#sinks.delete(sink);
          life.abort(new Error("cut"));
        }
      },
    };
  }

  cut(error: Error): void {
    for (const cut of this.#cuts) cut(error);
  }

  /** Injects an event into all streams. */
  tell(event: StreamEvent): void {
    for (const sink of this.#sinks) sink.onLine(event);
  }
}

let server: EmbeddedServer;
let network: CuttableNetwork;
let clock: FakeClock;
let streams: ClaimStreams;
let client: KubeClient;
let events: string[];

const observer: StreamsObserver = {
  onOpened: () => events.push("opened"),
  onIdle: () => events.push("idle"),
  onClosed: (reason) => events.push(`ended ${reason}`),
  onConnected: () => events.push("connected"),
  onDisconnected: (reason) => events.push(`disconnected ${reason}`),
  onFailed: (code) => events.push(`failed ${code}`),
  onRestarted: () => events.push("restarted"),
  onProcessed: (result) => events.push(`processed ${result}`),
  onReceived: (event) => events.push(`received ${event}`),
  onWaiterLeft: (result) => events.push(`waited ${result}`),
};

const idleMs = 5 * 60_000;

beforeEach(async () => {
  events = [];
  server = await startEmbedded({ log: new MemoryLog(), clock: systemClock, tokens: [], report: () => undefined });
  const direct = directTransport((request) => server.api.handle(request), systemUser);
  client = new KubeClient(direct, rootPlane);
  network = new CuttableNetwork(direct);
  const any = (value: unknown) => ({ ok: true as const, value });
  const definition = crdOf(resourceClaimDefinition) as unknown as KubernetesObject;
  await client.resource(definitionsType, any).create(definition, {}, signal);
  await eventually(() => claims().list({}, signal));
  clock = new FakeClock(0);
  const seen = new KubeClient(network.transport, rootPlane);
  const random = { fraction: () => 0.5 };
  streams = new ClaimStreams({ clientOf: () => seen, clock, random, report: () => undefined, observer });
});

afterEach(async () => {
  await streams.stop();
  await server.stop();
});

const claims = () => client.resource(resourceClaimDefinition, parseResourceClaim);
const ref = { namespace: "default", name: "claim" };

/** Creates the claim, which lists our object as a candidate. */
function make() {
  const manifest = claimManifest(renderedClaim()) as unknown as KubernetesObject;
  const noted = { ...manifest.metadata.annotations, [annotations.candidates]: "me" };
  return claims().create({ ...manifest, metadata: { ...manifest.metadata, annotations: noted } }, {}, signal);
}

async function decide(reason: "QuotaAvailable" | "QuotaExceeded"): Promise<void> {
  const { metadata } = await claims().get(ref, signal);
  const condition = { type: "Granted", status: reason === "QuotaAvailable" ? "True" : "False", reason, message: "" };
  const conditions = [{ ...condition, lastTransitionTime: "2026-01-01T00:00:00Z" }];
  const head = { apiVersion: "quota.miloapis.com/v1alpha1", kind: "ResourceClaim", metadata };
  await claims().updateStatus({ ...head, status: { conditions } } as unknown as KubernetesObject, {}, signal);
}

/** Advances the clock until an assertion holds. */
const passing = (look: () => Promise<unknown>) =>
  eventually(async () => {
    clock.advance(1_000);
    await look();
  });

describe("a stream of claims", () => {
  it("notifies waiters and counts events", async () => {
    const result = await streams.use("root", async (stream) => {
      await stream.open;
      const waiter = stream.join("default", "claim", "me");
      waiter.follow(await make());
      await decide("QuotaAvailable");
      const { result: outcome } = await waiter.done;
      stream.leave(waiter, "granted");
      return outcome;
    });
    expect(result).toBe("granted");
    expect(events).toEqual([
      "opened",
      "connected",
      "received Added",
      "processed pending",
      "received Modified",
      "processed granted",
      "waited granted",
      "idle",
    ]);
  });

  it("lists the claims of waiters again after a restart, so that no decision is lost", async () => {
    await streams.use("root", async (stream) => {
      await stream.open;
      const waiter = stream.join("default", "claim", "me");
      waiter.follow(await make());
      await eventually(async () => expect(events).toContain("processed pending"));
      const gone = new StatusError(failure("Expired", "too old resource version"));
      network.streamError = gone;
      network.cut(gone);
      await decide("QuotaExceeded");
      await passing(async () => expect(events.filter((event) => event === "failed 410").length).toBeGreaterThan(1));
      network.streamError = undefined;
      let outcome = "";
      void waiter.done.then(({ result }) => {
        outcome = result;
      });
      await passing(async () => expect(outcome).toBe("denied"));
      await passing(async () => expect(events).toContain("restarted"));
      expect(events).toContain("disconnected error");
      expect(events).not.toContain("received Modified");
      stream.leave(waiter, "denied");
    });
  });

  it.each([
    ["a lost connection", new Error("the connection was cut")],
    ["a failing server", new StatusError(failure("InternalError", "something is wrong here"))],
    ["an overloaded server", new StatusError(failure("TooManyRequests", "slower"))],
  ])("resumes after %s without losing events and without a relist", async (_, error) => {
    await streams.use("root", async (stream) => {
      await stream.open;
      const waiter = stream.join("default", "claim", "me");
      waiter.follow(await make());
      await eventually(async () => expect(events).toContain("processed pending"));
      network.requests.length = 0;
      network.streamError = error;
      network.cut(error);
      await decide("QuotaExceeded");
      await passing(async () => expect(events.filter((event) => event.startsWith("failed")).length).toBeGreaterThan(1));
      expect(events).not.toContain("received Modified");
      network.streamError = undefined;
      let outcome = "";
      void waiter.done.then(({ result }) => {
        outcome = result;
      });
      await passing(async () => expect(outcome).toBe("denied"));
      expect(events.slice(-2)).toEqual(["received Modified", "processed denied"]);
      expect(events).toContain("restarted");
      expect(network.requests).toEqual([]);
      stream.leave(waiter, "denied");
    });
  });

  it("notifies waiters of a claim that was deleted while the stream was down", async () => {
    await streams.use("root", async (stream) => {
      await stream.open;
      const waiter = stream.join("default", "claim", "me");
      waiter.follow(await make());
      const gone = new StatusError(failure("Expired", "too old resource version"));
      network.streamError = gone;
      network.cut(gone);
      await claims().delete(ref, {}, signal);
      network.streamError = undefined;
      let outcome = "";
      void waiter.done.then(({ result }) => {
        outcome = result;
      });
      await passing(async () => expect(outcome).toBe("lost"));
      stream.leave(waiter, "deleted");
    });
  });
});

describe("claim streams", () => {
  const touch = (plane: string) => streams.use(plane, async ({ open }) => open);

  it("are opened once per plane and closed when idle", async () => {
    await Promise.all(Array.from({ length: 64 }, () => touch("root")));
    expect(events.filter((event) => event === "opened")).toHaveLength(1);
    clock.advance(idleMs - 1);
    await touch("root");
    clock.advance(idleMs - 1);
    expect(streams.health.desired).toBe(1);
    clock.advance(1);
    expect(streams.health.desired).toBe(0);
    expect(events).toContain("ended idle");
    await touch("root");
    expect(events.filter((event) => event === "opened")).toHaveLength(2);
  });

  it("are not closed while a request waits", async () => {
    await streams.use("root", async ({ open }) => {
      await open;
      clock.advance(idleMs * 3);
      expect(streams.health.desired).toBe(1);
    });
  });

  it("are closed with their plane", async () => {
    await touch("root");
    const gone = new StatusError(failure("NotFound", "there is no such plane"));
    network.streamError = gone;
    network.cut(gone);
    await passing(async () => expect(streams.health.desired).toBe(0));
    expect(events.at(-1)).toBe("ended idle");
    network.streamError = undefined;
    await touch("root");
    expect(streams.health.desired).toBe(1);
  });

  it("report the age of the last bookmark, which a new stream resets", async () => {
    await touch("root");
    await eventually(async () => expect(streams.health.connected).toBe(1));
    clock.advance(60_000);
    expect(streams.health.bookmarkAgeMsMax).toBe(60_000);
    const { resourceVersion } = await claims().list({}, signal);
    network.tell({ type: "BOOKMARK", object: { kind: "ResourceClaim", metadata: { resourceVersion } } });
    expect(streams.health).toMatchObject({ bookmarkAgeMsMax: 0, uptimeMsMax: 60_000 });
    expect(events.at(-1)).toBe("received Bookmark");
    clock.advance(20_000);
    await make();
    await eventually(async () => expect(events).toContain("received Added"));
    expect(streams.health.bookmarkAgeMsMax).toBe(20_000); // an event of one claim does not count
    network.cut(new Error("the connection was cut"));
    await passing(async () => expect(events).toContain("restarted"));
    expect(streams.health.bookmarkAgeMsMax).toBeLessThan(20_000);
  });

  it("report the health of all planes in use", async () => {
    await Promise.all([touch("root"), touch("project-a")]);
    await eventually(async () => expect(streams.health).toMatchObject({ desired: 2, connected: 2, waiters: 0 }));
    clock.advance(60_000);
    expect(streams.health).toMatchObject({ uptimeMsMax: 60_000, bookmarkAgeMsMax: 60_000 });
    await streams.stop();
    expect(events.slice(-2)).toEqual(["disconnected shutdown", "disconnected shutdown"]);
    await expect(touch("root")).rejects.toThrow("claim streams are stopped");
  });
});
