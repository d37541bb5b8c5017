import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AdmissionRequest, Verdict } from "../../src/apiserver/registry/admission.ts";
import { failure } from "../../src/protocol/api-status.ts";
import { RecordingPlugin } from "./recording-plugin.ts";
import { SlowLog } from "./slow-log.ts";
import { type Call, TestServer, turnOfEvents } from "./test-server.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const refused = failure("Forbidden", "no owners today");

let server: TestServer;
let plugin: RecordingPlugin;
let log: SlowLog;
/** What the plug-in says of owners, once it has made something that belongs to them. */
let verdict: Verdict | undefined;
/** Whether what belongs to an owner was there all the time while that was being created. */
let kept: boolean[];

beforeEach(async () => {
  plugin = new RecordingPlugin("maker");
  verdict = undefined;
  kept = [];
  log = new SlowLog();
  log.turns = () => 3;
  server = await TestServer.start({ plugins: [plugin], log });
  plugin.answer = async (request) => {
    if (request.operation !== "CREATE" || !request.name.startsWith("owner")) return undefined;
    await makeOwned(request);
    await aWhile();
    kept.push(await isThere("owned"));
    return verdict;
  };
});

afterEach(async () => {
  await server.stop();
  expect(server.faults).toEqual([]);
});

async function makeOwned({ object, name }: AdmissionRequest): Promise<void> {
  const uid = object?.metadata.uid;
  const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name, uid }];
  await server.create(configMaps, { metadata: { name: "owned", ownerReferences } });
}

async function aWhile(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) {
    await turnOfEvents();
    server.clock.advance(20);
  }
}

const isThere = async (name: string): Promise<boolean> => (await server.get(`${configMaps}/${name}`)).code === 200;
const goes = (name: string): Promise<void> => server.until(`${name} is gone`, async () => !(await isThere(name)));

const named = { metadata: { name: "owner" } };
const applied = { apiVersion: "v1", kind: "ConfigMap", ...named };
const ways: Readonly<Record<string, Call>> = {
  "by its name": { method: "POST", path: configMaps, body: named },
  "under a generated name": { method: "POST", path: configMaps, body: { metadata: { generateName: "owner-" } } },
  "by applying it": {
    method: "PATCH",
    path: `${configMaps}/owner?fieldManager=me`,
    type: "application/apply-patch+yaml",
    body: applied,
  },
};

describe.each(Object.entries(ways))("an owner that is being created %s", (_, call) => {
  it("keeps what was made for it before, and takes it along when it goes", async () => {
    const { code, body } = await server.send(call);
    expect(code).toBe(201);
    expect(kept).toEqual([true]);
    await aWhile();
    expect(await isThere("owned")).toBe(true);
    await server.remove(`${configMaps}/${body.metadata.name}`);
    await goes("owned");
  });

  it("leaves nothing behind when it is refused after that", async () => {
    verdict = { allowed: false, status: refused };
    expect((await server.send(call)).code).toBe(403);
    expect(kept).toEqual([true]);
    await goes("owned");
  });

  it("leaves nothing behind when it is only tried", async () => {
    const path = `${call.path}${call.path.includes("?") ? "&" : "?"}dryRun=All`;
    expect((await server.send({ ...call, path })).code).toBe(201);
    await goes("owned");
  });
});

it("what was made for one that came second goes, and the first stays", async () => {
  plugin.answer = async (request) => {
    if (request.object?.metadata.labels?.["is"] !== "second") return undefined;
    await makeOwned(request);
    await server.create(configMaps, named);
    return undefined;
  };
  expect((await server.create(configMaps, { metadata: { name: "owner", labels: { is: "second" } } })).code).toBe(409);
  await goes("owned");
  expect(await isThere("owner")).toBe(true);
});

it("what was made for one that had not come goes when the server starts again", async () => {
  plugin.answer = async (request) => {
    if (request.name !== "owner") return undefined;
    await makeOwned(request);
    return new Promise(() => undefined); // as if the server were killed while others are asked
  };
  void server.create(configMaps, named);
  await server.until("what it shall own is there", () => isThere("owned"));
  await aWhile();
  expect(await isThere("owned")).toBe(true);
  await server.stop();
  server = await TestServer.start({ log });
  await goes("owned");
});
