import { afterEach, describe, expect, it } from "vitest";
import type { AdmissionPlugin } from "../../src/apiserver/registry/admission.ts";
import { MemoryLog } from "../../src/apiserver/storage/memory-log.ts";
import { LogFull, type LogRecord } from "../../src/apiserver/storage/record-log.ts";
import { failure } from "../../src/protocol/api-status.ts";
import type { Birth, LogPlace } from "../../src/protocol/log-place.ts";
import type { KubernetesObject } from "../../src/protocol/object-meta.ts";
import { configMap, configMaps, definitions, namespaces, parseAny, widgetDefinition, widgets } from "./kinds.ts";
import { inProcess, overSockets, type Twin } from "./twin-servers.ts";

const { signal } = new AbortController();
const namespace = "births";
const status = { phase: "x" };

/** A disk that tells what it is given at a time, and has no room for some. */
class TestLog extends MemoryLog {
  readonly batches: (readonly string[])[] = [];
  readonly without = new Set<string>();

  override async append(records: readonly LogRecord[]): Promise<void> {
    const names = records.map(({ key }) => key.name);
    if (names.some((name) => this.without.has(name))) throw new LogFull("no space left");
    this.batches.push(names);
    await super.append(records);
  }
}

let stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  stops = [];
});

async function prepared(twin: Twin): Promise<Twin> {
  stops.push(() => twin.stop());
  await twin.client.resource(definitions, parseAny).create(widgetDefinition as KubernetesObject, {}, signal);
  const made = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
  await twin.client.resource(namespaces, parseAny).create(made, {}, signal);
  return twin;
}

const mapsOn = ({ client }: Twin) => client.resource(configMaps, parseAny);
const widgetsOn = ({ client }: Twin) => client.resource(widgets, parseAny);

function widget(name: string): KubernetesObject {
  const spec = { amount: 1 };
  return {
    apiVersion: "client.example.com/v1",
    kind: "Widget",
    metadata: { name, namespace },
    spec,
  } as KubernetesObject;
}

/** Something is written down, and this is its place. */
function written(twin: Twin, name: string): { readonly place: Promise<LogPlace>; readonly done: Promise<unknown> } {
  let done: Promise<unknown> = Promise.resolve();
  const place = new Promise<LogPlace>((resolve) => {
    done = mapsOn(twin).create(configMap(namespace, name), { ordered: (_, at) => resolve(at) }, signal);
  });
  return { place, done };
}

/** Its place is taken before this is awaited. */
function change(twin: Twin, name: string): Promise<unknown> {
  const body = { data: { changed: "yes" } };
  return mapsOn(twin).patch({ namespace, name }, { type: "merge", body }, {}, signal);
}

const together = (...places: LogPlace[]): Birth["rests"] => ({ how: "together", places });

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("an object that is asked for what it is born with", () => {
  it("is stored with it in one write, together with what that rests on, and seen like that", async () => {
    const log = new TestLog("turn");
    const twin = await prepared(await inProcess({ log }));
    const asked: unknown[] = [];
    const bornWith = async (object: object): Promise<Birth> => {
      asked.push(object);
      return { status, rests: together(await written(twin, "page").place) };
    };
    const made = await widgetsOn(twin).create(widget("w"), { bornWith }, signal);
    expect(made).toMatchObject({ status, spec: { amount: 1 } });
    expect(asked).toMatchObject([{ metadata: { name: "w", uid: made.metadata.uid }, spec: { amount: 1 } }]);
    expect(log.batches.find((names) => names.includes("w"))?.slice(-2)).toEqual(["page", "w"]);
    expect(made.metadata.managedFields?.map(({ subresource }) => subresource)).toEqual([undefined, "status"]);
    expect(await widgetsOn(twin).get({ name: "w", namespace }, signal)).toEqual(made);
  });

  it("is stored without when that is on its way to the disk already", async () => {
    const twin = await prepared(await inProcess({ log: new TestLog("turn") }));
    const bornWith = async (): Promise<Birth> => {
      const { place, done } = written(twin, "page");
      await done;
      return { status, rests: together(await place) };
    };
    expect(await widgetsOn(twin).create(widget("w"), { bornWith }, signal)).not.toHaveProperty("status");
  });

  it("is stored without when nothing is written down, or nobody knows anything", async () => {
    const twin = await prepared(await inProcess({ log: new TestLog("turn") }));
    const births: readonly (Birth | undefined)[] = [{ status, rests: together() }, undefined];
    for (const [at, birth] of births.entries()) {
      const made = await widgetsOn(twin).create(widget(`w-${at}`), { bornWith: async () => birth }, signal);
      expect(made).not.toHaveProperty("status");
    }
  });

  it("is refused when what that rests on was taken back", async () => {
    const log = new TestLog("turn");
    const twin = await prepared(await inProcess({ log }));
    log.without.add("page");
    const bornWith = async (): Promise<Birth> => {
      const { place, done } = written(twin, "page");
      await expect(done).rejects.toThrow("no space left");
      return { status, rests: together(await place) };
    };
    const made = widgetsOn(twin).create(widget("w"), { bornWith }, signal);
    await expect(made).rejects.toThrow("the disk was full while this was decided");
    expect(await widgetsOn(twin).find({ name: "w", namespace }, signal)).toBeUndefined();
  });

  const since: Record<string, readonly [happens: (twin: Twin) => Promise<unknown>, born: boolean]> = {
    "nothing has happened to it": [async () => undefined, true],
    "it has become something else": [(twin) => change(twin, "page"), false],
    "it is about to become something else": [async (twin) => void change(twin, "page"), false],
    "something else has": [(twin) => change(twin, "other"), true],
    "it is gone": [(twin) => mapsOn(twin).delete({ namespace, name: "page" }, {}, signal), false],
  };
  for (const [what, [happens, isBorn]] of Object.entries(since)) {
    it(`is stored ${isBorn ? "with" : "without"} what rests on something that was there before, when ${what}`, async () => {
      const twin = await prepared(await inProcess({ log: new TestLog("turn") }));
      await written(twin, "other").done;
      const page = written(twin, "page");
      await page.done;
      const kept = await page.place;
      const bornWith = async (): Promise<Birth> => {
        await happens(twin);
        return { status, rests: { how: "standing", places: () => [kept] } };
      };
      const made = await widgetsOn(twin).create(widget("w"), { bornWith }, signal);
      expect(made["status"]).toEqual(isBorn ? status : undefined);
    });
  }

  it("is stored without what nothing is kept for any more", async () => {
    const twin = await prepared(await inProcess({ log: new TestLog("turn") }));
    const bornWith = async (): Promise<Birth> => ({ status, rests: { how: "standing", places: () => [] } });
    expect(await widgetsOn(twin).create(widget("w"), { bornWith }, signal)).not.toHaveProperty("status");
  });

  it("is stored without when somebody refuses the status, or takes too long over it", async () => {
    const outcomes: string[] = [];
    const picky: AdmissionPlugin = {
      name: "picky",
      validate: async ({ kind, subresource, name }) => {
        if (kind.kind !== "Widget" || subresource !== "status") return { allowed: true };
        if (name === "refused") return { allowed: false, status: failure("Forbidden", "not like this") };
        if (name === "slow") for (let turns = 0; turns < 10; turns += 1) await turn();
        return { allowed: true, settled: ({ stored }) => outcomes.push(`${name} ${stored}`) };
      },
    };
    const twin = await prepared(await inProcess({ log: new TestLog("turn"), plugins: [picky] }));
    const made = async (name: string): Promise<unknown> => {
      const bornWith = async (): Promise<Birth> => ({
        status,
        rests: together(await written(twin, `page-${name}`).place),
      });
      return (await widgetsOn(twin).create(widget(name), { bornWith }, signal))["status"];
    };
    expect([await made("refused"), await made("slow"), await made("fast")]).toEqual([undefined, undefined, status]);
    expect(outcomes).toEqual(["slow false", "fast true"]);
  });

  it("is asked for nothing when it is not to be stored, or there is one of its name", async () => {
    const twin = await prepared(await inProcess({ log: new TestLog("turn") }));
    const bornWith = (): Promise<Birth | undefined> => Promise.reject(new Error("nobody was to be asked"));
    await widgetsOn(twin).create(widget("w"), { bornWith, dryRun: true }, signal);
    await widgetsOn(twin).create(widget("w"), {}, signal);
    await expect(widgetsOn(twin).create(widget("w"), { bornWith }, signal)).rejects.toThrow("already exists");
  });

  it("is asked for nothing by a server elsewhere", async () => {
    const twin = await prepared(await overSockets());
    const bornWith = (): Promise<Birth | undefined> => Promise.reject(new Error("nobody was to be asked"));
    expect(await widgetsOn(twin).create(widget("w"), { bornWith }, signal)).not.toHaveProperty("status");
  });
});
