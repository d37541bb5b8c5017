import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AdmissionPlugin } from "../../src/apiserver/registry/admission.ts";
import { MemoryLog } from "../../src/apiserver/storage/memory-log.ts";
import { LogFull, type LogRecord } from "../../src/apiserver/storage/record-log.ts";
import { failure } from "../../src/protocol/api-status.ts";
import type { JsonObject } from "../../src/protocol/json-value.ts";
import { AdmissionWorld } from "./admission-world.ts";
import { configMapsType } from "./object-types.ts";
import { claimsIn, configMap, configMapKind, enforce, policy, provide } from "./quota-objects.ts";
import { eventually, type Json, signal } from "./served-world.ts";

/** More than are company enough for each other: they are answered while the disk is busy, or full. */
const limit = 12;

/** A disk that takes what comes in one turn together, tells what it was given, and is full when it is told to be. */
class TestLog extends MemoryLog {
  readonly batches: string[][] = [];
  isFull: (resources: readonly string[]) => boolean = () => false;

  override async append(records: readonly LogRecord[]): Promise<void> {
    const resources = records.map(({ key }) => key.resource.replace(/\..*/, ""));
    await new Promise((resolve) => setImmediate(resolve));
    if (this.isFull(resources)) throw new LogFull("no space left");
    this.batches.push(resources);
    await super.append(records);
  }
}

let log: TestLog;
let world: AdmissionWorld;
/** Asked after quota. */
let others: () => Promise<void>;
let isRefused: boolean;

const late: AdmissionPlugin = {
  name: "late",
  validate: async ({ kind }) => {
    if (kind.kind !== "ConfigMap") return { allowed: true };
    await others();
    return isRefused ? { allowed: false, status: failure("Forbidden", "not on a Monday") } : { allowed: true };
  },
};

beforeEach(async () => {
  log = new TestLog("turn");
  others = async () => undefined;
  isRefused = false;
  world = await AdmissionWorld.start({ log, plugins: [late] });
  await provide(world, "core/configmaps", configMapKind, limit);
  await enforce(world, policy("maps", configMapKind, "core/configmaps"));
});

afterEach(async () => {
  await world.stop();
});

const create = (name: string) => world.tryCreate(configMapsType, configMap(name));

async function stored(): Promise<readonly JsonObject[]> {
  return (await world.resource(configMapsType).list({ namespace: "default" }, signal)).items;
}

/** Every object has a claim that is granted, and every claim an object. */
async function expectBooksToBeRight(): Promise<void> {
  await eventually(async () => {
    const uids = (await stored()).map(({ metadata }) => (metadata as Json)["uid"]);
    const claims = (await claimsIn(world)) as unknown as {
      readonly metadata: { readonly annotations: Readonly<Record<string, string>> };
      readonly status?: unknown;
    }[];
    expect(claims.map(({ metadata }) => metadata.annotations["quota.miloapis.com/candidates"]).sort()).toEqual(
      uids.sort(),
    );
    for (const claim of claims) expect(claim.status).toMatchObject({ conditions: [{ status: "True" }] });
  });
}

describe("promises that have their place in the log", () => {
  it("let an object in that goes to the disk together with them, after them", async () => {
    await create("first");
    await eventually(expectBooksToBeRight);
    log.batches.length = 0;
    expect(await create("second")).toEqual({ code: 201, message: "" });
    const [batch = []] = log.batches.filter((resources) => resources.includes("configmaps"));
    expect(batch.slice(-3)).toEqual(["allowancebuckets", "resourceclaims", "configmaps"]);
  });

  it("are withdrawn when the object is refused before they are durable", async () => {
    isRefused = true;
    expect(await create("a")).toMatchObject({ code: 403, message: expect.stringContaining("not on a Monday") });
    await eventually(async () => expect(await claimsIn(world)).toEqual([]));
    expect(await stored()).toEqual([]);
  });

  it("let nothing in once they were taken back", async () => {
    let isAsked = (): void => undefined;
    let answer = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    others = () => {
      isAsked();
      return new Promise((resolve) => {
        answer = resolve;
      });
    };
    const failed = new Promise<void>((resolve) => {
      log.isFull = (resources) => {
        const isIt = resources.includes("resourceclaims");
        if (isIt) {
          log.isFull = () => false;
          resolve();
        }
        return isIt;
      };
    });
    const created = create("a");
    await Promise.all([asked, failed]);
    await new Promise((resolve) => setImmediate(resolve));
    answer();
    expect(await created).toMatchObject({ code: 503, message: expect.stringContaining("the disk was full") });
    expect(await stored()).toEqual([]);
    others = async () => undefined;
    const codes = [];
    for (let at = 0; at <= limit; at += 1) codes.push((await create(`b-${at}`)).code);
    expect(codes).toEqual([...Array(limit).fill(201), 403]);
    await expectBooksToBeRight();
  });

  it("let in as much as there is and no more, on a disk that is full again and again", async () => {
    let appends = 0;
    log.isFull = (resources) => {
      if (!resources.includes("configmaps")) return false;
      appends += 1;
      return appends % 3 !== 0;
    };
    const codes = new Map<number, number>();
    const tryLong = async (name: string): Promise<void> => {
      for (let tries = 0; tries < 500; tries += 1) {
        const { code } = await create(name);
        codes.set(code, (codes.get(code) ?? 0) + 1);
        if (code === 201 || code === 403 || code === 409) return;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      throw new Error(`${name} was never decided: ${[...codes].join(" ")}`);
    };
    await Promise.all(Array.from({ length: 4 * limit }, (_, at) => tryLong(`c-${at}`)));
    log.isFull = () => false;
    expect((await stored()).length).toBe(limit);
    expect([...codes.keys()].sort()).toEqual([201, 403, 503]);
    await expectBooksToBeRight();
  });
});
