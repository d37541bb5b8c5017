import { afterEach, describe, expect, it } from "vitest";
import type { AdmissionPlugin, AdmissionRequest } from "../../src/apiserver/registry/admission.ts";
import { MemoryLog } from "../../src/apiserver/storage/memory-log.ts";
import type { LogRecord } from "../../src/apiserver/storage/record-log.ts";
import { bucketsType, claimsType } from "../../src/controllers/quota-types.ts";
import { foldMsMax } from "../../src/controllers/writer/page-writes.ts";
import { failure } from "../../src/protocol/api-status.ts";
import { AdmissionWorld } from "./admission-world.ts";
import { configMapsType } from "./object-types.ts";
import {
  bucketOf,
  claimsIn,
  configMap,
  configMapKind,
  enforce,
  policy,
  provide,
  usesEventually,
} from "./quota-objects.ts";
import { eventually, type Json, signal } from "./served-world.ts";

/** Tells what it is given, claims by what they say of themselves. */
class TestLog extends MemoryLog {
  readonly batches: string[][] = [];
  /** What pages said of what is used. */
  readonly figures: (readonly [allocated: unknown, reserved: unknown])[] = [];

  override async append(records: readonly LogRecord[]): Promise<void> {
    this.batches.push(records.map(told));
    for (const { key, text } of records) if (key.resource.startsWith("allowancebuckets")) this.figures.push(used(text));
    await super.append(records);
  }
}

function told({ key, text }: LogRecord): string {
  const resource = key.resource.replace(/\..*/, "");
  if (resource !== "resourceclaims") return resource;
  const { status } = JSON.parse(text) as { readonly status: { readonly conditions: readonly Json[] } };
  return status.conditions[0]?.["status"] === "True" ? "granted claim" : "claim";
}

function used(text: string): readonly [unknown, unknown] {
  const { status = {} } = JSON.parse(text) as { readonly status?: Json };
  return [status["allocated"], status["reserved"]];
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const maps = "core/configmaps";
const bytes = "core/bytes";

let world: AdmissionWorld;
let log: TestLog;
/** Asked about the status of claims, after quota. */
let aboutStatus: (request: AdmissionRequest) => Promise<"fine" | "refused">;

async function start(requests?: readonly Json[], limit = 3): Promise<void> {
  log = new TestLog("turn");
  aboutStatus = async () => "fine";
  const others: AdmissionPlugin = {
    name: "others",
    validate: async (request) => {
      const isAsked = request.kind.kind === "ResourceClaim" && request.subresource === "status";
      const isFine = !isAsked || (await aboutStatus(request)) === "fine";
      return isFine ? { allowed: true } : { allowed: false, status: failure("Forbidden", "not now") };
    },
  };
  world = await AdmissionWorld.start({ log, plugins: [others] });
  await provide(world, maps, configMapKind, limit);
  await provide(world, bytes, configMapKind, 30);
  await enforce(world, policy("maps", configMapKind, maps, requests === undefined ? {} : { requests }));
  expect(await create("first")).toBe(201); // what follows finds its pages
  await usesEventually(world, maps, 1);
  log.batches.length = 0;
  log.figures.length = 0;
}

afterEach(async () => {
  await world.stop();
});

const create = async (name: string): Promise<number> => (await world.tryCreate(configMapsType, configMap(name))).code;

const writesOf = (what: string): number => log.batches.flat().filter((each) => each === what).length;

describe("a claim that is promised all it asks for before it is stored", () => {
  it("is stored once, granted, with its page and its object", async () => {
    await start();
    expect(await create("second")).toBe(201);
    const batch = log.batches.find((each) => each.includes("configmaps"));
    expect(batch?.slice(-3)).toEqual(["allowancebuckets", "granted claim", "configmaps"]);
    await usesEventually(world, maps, 2);
    expect([writesOf("claim"), writesOf("granted claim")]).toEqual([0, 1]);
  });

  it("is in what its page says is allocated, from the first write on, and so that is the only one", async () => {
    await start();
    expect([await create("second"), await create("third")]).toEqual([201, 201]);
    await turn();
    expect(log.figures).toEqual([
      [2, 0],
      [3, 0],
    ]);
    await new Promise((resolve) => setTimeout(resolve, foldMsMax + 200));
    expect(log.figures).toHaveLength(2);
  });

  it("is born with all of its pages, if it has several", async () => {
    await start([
      { resourceType: maps, amount: 1 },
      { resourceType: bytes, amount: 10 },
    ]);
    expect(await create("second")).toBe(201);
    const batch = log.batches.find((each) => each.includes("configmaps"));
    expect(batch?.slice(-4)).toEqual(["allowancebuckets", "allowancebuckets", "granted claim", "configmaps"]);
    await usesEventually(world, bytes, 20);
    expect([await create("third"), await create("fourth")]).toEqual([201, 403]);
  });

  it("is stored undecided, and answered like any other, when it does not fit", async () => {
    await start();
    expect([await create("second"), await create("third"), await create("fourth")]).toEqual([201, 201, 403]);
    expect(writesOf("granted claim")).toBe(2);
    await eventually(async () => expect(await claimsIn(world)).toHaveLength(3));
    await usesEventually(world, maps, 3);
  });

  it("is stored undecided, and decided like any other, when others take long over its status", async () => {
    await start();
    aboutStatus = async () => {
      for (let turns = 0; turns < 10; turns += 1) await turn();
      return "fine";
    };
    expect(await create("second")).toBe(201);
    await usesEventually(world, maps, 2);
    expect([writesOf("claim"), writesOf("granted claim")]).toEqual([1, 1]);
  });

  it("is stored undecided when others refuse its status, and granted once they do not", async () => {
    await start();
    let refusals = 0;
    aboutStatus = async () => {
      refusals += 1;
      return refusals === 1 ? "refused" : "fine";
    };
    expect(await create("second")).toBe(201);
    await usesEventually(world, maps, 2);
    expect([writesOf("claim"), writesOf("granted claim")]).toEqual([1, 1]);
  });

  it("gives back what it was promised when it cannot be stored any more", async () => {
    await start();
    // Somebody takes its name at the last moment, for something else.
    aboutStatus = async ({ object }) => {
      aboutStatus = async () => "fine";
      const { metadata, spec } = object as unknown as { readonly metadata: Json; readonly spec: Json };
      const { name, namespace } = metadata;
      const other = { ...spec, resourceRef: { apiGroup: "", kind: "ConfigMap", name: "other", namespace: "default" } };
      const claim = {
        apiVersion: object?.apiVersion,
        kind: "ResourceClaim",
        metadata: { name, namespace },
        spec: other,
      };
      await world.resource(claimsType).create(claim as never, {}, signal);
      return "fine";
    };
    expect(await create("second")).toBe(500);
    await eventually(async () => expect(await claimsIn(world)).toHaveLength(2));
    await usesEventually(world, maps, 2); // that other claim, and not what was promised to ours
    expect([await create("third"), await create("fourth")]).toEqual([201, 403]);
  });
});

describe("while many claims come", () => {
  const count = 30;
  const names = Array.from({ length: count }, (_, at) => `map-${at}`);

  it("a page is written for some of them, and says all within a second", async () => {
    await start(undefined, 1_000);
    for (const name of names) expect(await create(name)).toBe(201);
    expect([writesOf("claim"), writesOf("granted claim"), writesOf("configmaps")]).toEqual([0, count, count]);
    expect(writesOf("allowancebuckets")).toBeLessThan(count / 2);
    await usesEventually(world, maps, count + 1);
    await eventually(async () => expect(await keptAhead()).toBeUndefined());
  });

  it("nobody gets more than there is, and the last of it is given away", async () => {
    await start(undefined, 20);
    const codes = await Promise.all(names.map(create));
    expect(codes.filter((code) => code === 201)).toHaveLength(19);
    expect(new Set(codes)).toEqual(new Set([201, 403]));
    await usesEventually(world, maps, 20);
  });

  it("whoever changes a page meanwhile gets in nobody's way", async () => {
    await start(undefined, 1_000);
    for (const [at, name] of names.entries()) {
      const created = create(name);
      if (at % 5 === 4) await note(`${at}`);
      expect(await created).toBe(201);
    }
    await usesEventually(world, maps, count + 1);
  });

  /** What the page says that is kept for claims to come. */
  async function keptAhead(): Promise<unknown> {
    const { status } = (await bucketOf(world, maps)) as { readonly status: Json };
    return status["ahead"];
  }

  /** Somebody else writes the page. */
  async function note(text: string): Promise<void> {
    const { metadata } = (await bucketOf(world, maps)) as unknown as {
      readonly metadata: { name: string; namespace: string };
    };
    const body = { metadata: { annotations: { note: text } } };
    await world.resource(bucketsType).patch(metadata, { type: "merge", body }, {}, signal);
  }
});
