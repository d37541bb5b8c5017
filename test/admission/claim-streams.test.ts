import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ClaimStreams } from "../../src/admission/claim-streams.ts";
import type { StreamsListener } from "../../src/admission/stream-listener.ts";
import { type EmbeddedServer, startEmbedded } from "../../src/apiserver/embedded-server.ts";
import { FakeClock } from "../../src/apiserver/storage/fake-clock.ts";
import { MemoryLog } from "../../src/apiserver/storage/memory-log.ts";
import { systemClock } from "../../src/apiserver/system-clock.ts";
import { claimManifest } from "../../src/core/policy/claim-policy.ts";
import { parseResourceClaim, resourceClaimDefinition } from "../../src/core/resources/resource-claim.ts";
import { annotations } from "../../src/core/resources/well-known.ts";
import { KubeClient, rootPlane } from "../../src/kube/client/kube-client.ts";
import { directTransport } from "../../src/kube/transport/direct-transport.ts";
import type { Transport } from "../../src/kube/transport/transport.ts";
import { failure, StatusError } from "../../src/protocol/api-status.ts";
import type { KubernetesObject } from "../../src/protocol/object-meta.ts";
import { crdOf } from "../../src/schema/crd.ts";
import { wanted } from "./made-claims.ts";
import { definitionsType } from "./object-types.ts";
import { eventually, signal, systemUser } from "./served-world.ts";

/** A network whose streams can be cut, and kept from coming back. */
class CuttableNetwork {
  readonly #inner: Transport;
  readonly #cuts = new Set<(error: unknown) => void>();
  /** What streams are refused with; undefined lets them through. */
  refusal: StatusError | undefined;

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  get transport(): Transport {
    return {
      ...this.#inner,
      stream: async (call, sink, ended) => {
        if (this.refusal !== undefined) throw this.refusal;
        const life = new AbortController();
        ended.addEventListener("abort", () => life.abort(ended.reason), { once: true });
        let cut: (error: unknown) => void = () => undefined;
        const isCut = new Promise<never>((_, reject) => {
          cut = reject;
        });
        this.#cuts.add(cut);
        try {
          await Promise.race([this.#inner.stream(call, sink, life.signal), isCut]);
        } finally {
          this.#cuts.delete(cut);
          life.abort(new Error("cut"));
        }
      },
    };
  }

  cut(error: StatusError): void {
    for (const cut of this.#cuts) cut(error);
  }
}

let server: EmbeddedServer;
let network: CuttableNetwork;
let clock: FakeClock;
let streams: ClaimStreams;
let client: KubeClient;
let events: string[];

const listener: StreamsListener = {
  opened: () => events.push("opened"),
  idle: () => events.push("idle"),
  ended: (reason) => events.push(`ended ${reason}`),
  connected: () => events.push("connected"),
  disconnected: (reason) => events.push(`disconnected ${reason}`),
  failed: (code) => events.push(`failed ${code}`),
  restarted: () => events.push("restarted"),
  processed: (result) => events.push(`processed ${result}`),
  received: (event) => events.push(`received ${event}`),
  waited: (result) => events.push(`waited ${result}`),
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
  streams = new ClaimStreams({ clientOf: () => seen, clock, random, report: () => undefined, told: listener });
});

afterEach(async () => {
  await streams.stop();
  await server.stop();
});

const claims = () => client.resource(resourceClaimDefinition, parseResourceClaim);
const ref = { namespace: "default", name: "claim" };

/** Makes the claim, which lists our object. */
function make() {
  const manifest = claimManifest(wanted()) as unknown as KubernetesObject;
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

/** Time passes until something is so; what is under way gets its turns. */
const passing = (look: () => Promise<unknown>) =>
  eventually(async () => {
    clock.advance(1_000);
    await look();
  });

describe("a stream of claims", () => {
  it("tells those who wait, and counts what it sees", async () => {
    const result = await streams.use("root", async (stream) => {
      await stream.open;
      const waiter = stream.join("default", "claim", "me");
      stream.follow(waiter, await make());
      await decide("QuotaAvailable");
      const { result: heard } = await waiter.done;
      stream.leave(waiter, "granted");
      return heard;
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

  it("is read anew for those who wait when it had to start over: what happened meanwhile is not lost", async () => {
    await streams.use("root", async (stream) => {
      await stream.open;
      const waiter = stream.join("default", "claim", "me");
      stream.follow(waiter, await make());
      await eventually(async () => expect(events).toContain("processed pending"));
      const gone = new StatusError(failure("Expired", "too old resource version"));
      network.refusal = gone;
      network.cut(gone);
      await decide("QuotaExceeded");
      await passing(async () => expect(events.filter((event) => event === "failed 410").length).toBeGreaterThan(1));
      network.refusal = undefined;
      let heard = "";
      void waiter.done.then(({ result }) => {
        heard = result;
      });
      await passing(async () => expect(heard).toBe("denied"));
      await passing(async () => expect(events).toContain("restarted"));
      expect(events).toContain("disconnected error");
      expect(events).not.toContain("received Modified");
      stream.leave(waiter, "denied");
    });
  });

  it("tells of the end of a claim that went while nobody could see it", async () => {
    await streams.use("root", async (stream) => {
      await stream.open;
      const waiter = stream.join("default", "claim", "me");
      stream.follow(waiter, await make());
      const gone = new StatusError(failure("Expired", "too old resource version"));
      network.refusal = gone;
      network.cut(gone);
      await claims().delete(ref, {}, signal);
      network.refusal = undefined;
      let heard = "";
      void waiter.done.then(({ result }) => {
        heard = result;
      });
      await passing(async () => expect(heard).toBe("lost"));
      stream.leave(waiter, "deleted");
    });
  });

  it("tells of promises, whether they come before a claim is followed or after", async () => {
    await streams.use("root", async (stream) => {
      await stream.open;
      const claim = await make();
      const before = stream.join("default", "claim", "me");
      const after = stream.join("default", "claim", "me");
      const left = stream.join("default", "claim", "me");
      stream.follow(after, claim);
      stream.follow(left, claim);
      stream.leave(left, "timeout");
      streams.promised(claim.metadata.uid ?? "");
      stream.follow(before, claim);
      expect(await Promise.all([before.done, after.done])).toEqual([{ result: "granted" }, { result: "granted" }]);
      const heard = await Promise.race([left.done, Promise.resolve("nothing")]);
      expect(heard).toBe("nothing");
    });
  });
});

describe("streams of planes", () => {
  const touch = (plane: string) => streams.use(plane, async ({ open }) => open);

  it("are opened once, however many come, and end when nobody has come for a while", async () => {
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

  it("do not end while somebody waits", async () => {
    await streams.use("root", async ({ open }) => {
      await open;
      clock.advance(idleMs * 3);
      expect(streams.health.desired).toBe(1);
    });
  });

  it("end with their plane", async () => {
    await touch("root");
    const gone = new StatusError(failure("NotFound", "there is no such plane"));
    network.refusal = gone;
    network.cut(gone);
    await passing(async () => expect(streams.health.desired).toBe(0));
    expect(events.at(-1)).toBe("ended idle");
    network.refusal = undefined;
    await touch("root");
    expect(streams.health.desired).toBe(1);
  });

  it("are as many as planes in use, and tell how they are", async () => {
    await Promise.all([touch("root"), touch("project-a")]);
    await eventually(async () => expect(streams.health).toMatchObject({ desired: 2, connected: 2, waiters: 0 }));
    clock.advance(60_000);
    expect(streams.health).toMatchObject({ uptimeMsMax: 60_000, bookmarkAgeMsMax: 60_000 });
    await streams.stop();
    expect(events.slice(-2)).toEqual(["disconnected shutdown", "disconnected shutdown"]);
    await expect(touch("root")).rejects.toThrow("no stream is opened any more");
  });
});
