import { MemoryLog } from "@milo-quota/apiserver/storage/log/memory-log.ts";
import { describe, expect, it } from "vitest";
import { parseDocument } from "yaml";
import { widgetDefinition } from "./custom-kinds.ts";
import { randomRequest } from "./random-request.ts";
import { seeded } from "./random-writes.ts";
import { type Body, type Call, requestOf, TestServer, turnOfEvents } from "./test-server.ts";
import { WatchReader } from "./watch-reader.ts";

// Longer runs on demand: MILO_QUOTA_FUZZ=100000 MILO_QUOTA_FUZZ_SEED=7 vitest run test/apiserver/fuzz
const requests = Number(process.env["MILO_QUOTA_FUZZ"] ?? 4_000);
const firstSeed = Number(process.env["MILO_QUOTA_FUZZ_SEED"] ?? 1);
const requestsOfSeed = 2_000;
const turnsMax = 5_000;

/** Requests that Kubernetes also answers with 500. */
const knownFaults: readonly RegExp[] = [
  /^resourceVersion should not be set on objects to be created$/,
  /^resourceVersion: Invalid value: .*: strconv\.ParseUint: /,
  /^strconv\.ParseUint: parsing ".*": invalid syntax$/,
  /^no kind ".*" is registered for version ".*"$/,
  /^\S+: expected [^,]+, got \S+$/,
  /^couldn't get version\/kind; json parse error: /,
  /^failed to create typed patch object /,
  /^unable to find api field in struct /,
  /^Internal Server Error: ".*": requested \[.*\] without impersonating a user$/,
];

/** Random webhook configurations would reject all later requests, so their kinds are left out. */
const left = (kind: { readonly group: string }): boolean => kind.group !== "admissionregistration.k8s.io";

async function startServer(log: MemoryLog): Promise<TestServer> {
  const server = await TestServer.start({ log });
  await server.create("/api/v1/namespaces", { metadata: { name: "team" } });
  await server.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", widgetDefinition);
  await server.until("it is served", async () => (await server.get("/apis/example.com/v1/widgets")).code === 200);
  return server;
}

/** Waits for the response, and fails if the server is idle without one. */
async function answered(server: TestServer, call: Call): Promise<Body> {
  let answer: Body;
  const handled = server.server.api.handle(requestOf(call)).then((given) => {
    answer = given;
  });
  for (let turn = 0; turn < turnsMax && answer === undefined; turn += 1) await turnOfEvents();
  if (answer === undefined) throw new Error("not answered");
  await handled;
  return answer;
}

async function send(server: TestServer, call: Call): Promise<number> {
  const { code, body } = await answered(server, call);
  if (typeof body !== "string") {
    const reader = new WatchReader();
    body.start(reader);
    reader.close();
    return code;
  }
  if (code === 500) {
    const message = body.startsWith("{") ? JSON.parse(body).message : (parsedYaml(body)?.message ?? body.trim());
    if (!knownFaults.some((known) => known.test(message)))
      throw new Error(`500: ${message} ${server.faults.map(stackOf).join("\n")}`);
  }
  if (code >= 400 && body.startsWith("{"))
    expect(JSON.parse(body)).toMatchObject({ kind: "Status", status: "Failure", code });
  if (server.faults.length > 0) throw new Error(`reported: ${server.faults.map(stackOf).join("\n")}`);
  return code;
}

/** Undefined for plain text. */
function parsedYaml(text: string): Body {
  const document = parseDocument(text);
  return document.errors.length > 0 ? undefined : document.toJS();
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Excludes bootstrap objects, which a restart recreates. */
function isOfClients({ metadata }: Body): boolean {
  return metadata.labels?.["kubernetes.io/bootstrapping"] === undefined;
}

/** All objects of clients by path. */
async function stateOf(server: TestServer): Promise<ReadonlyMap<string, Body>> {
  const state = new Map<string, Body>();
  for (const { group, version, plural, verbs } of server.server.kinds.inPlane("root").all) {
    if (!verbs.includes("list")) continue;
    const path = `${group === "" ? "/api" : `/apis/${group}`}/${version}/${plural}`;
    const { code, body } = await server.get(path);
    expect(code, path).toBe(200);
    for (const form of ["application/json;as=Table;g=meta.k8s.io;v=v1", "application/yaml"]) {
      expect((await server.send({ path, accept: form })).code, `${path} as ${form}`).toBe(200);
    }
    const reader = await server.watch(`${path}?watch=true&timeoutSeconds=1`);
    expect(
      reader.events.map(({ object }) => object.metadata.uid),
      path,
    ).toEqual(body.items.map(({ metadata }: Body) => metadata.uid));
    reader.close();
    state.set(path, body.items.filter(isOfClients));
  }
  return state;
}

describe("random requests", () => {
  const seeds = Array.from({ length: Math.max(1, Math.ceil(requests / requestsOfSeed)) }, (_, at) => firstSeed + at);

  it.each(seeds)("are answered, break no invariant, and the state survives a restart (seed %i)", async (seed) => {
    const random = seeded(seed);
    const log = new MemoryLog();
    const server = await startServer(log);
    const codes = new Map<number, number>();
    for (let at = 0; at < Math.min(requests, requestsOfSeed); at += 1) {
      const kinds = server.server.kinds.inPlane("root").all.filter(left);
      const call = randomRequest(kinds, random);
      const code = await send(server, call).catch((error: unknown) => {
        throw new Error(`request ${at} of seed ${seed}, ${JSON.stringify(call).slice(0, 3_000)}: ${stackOf(error)}`);
      });
      codes.set(code, (codes.get(code) ?? 0) + 1);
      if (random() < 0.05) server.clock.advance(200);
    }
    // The requests cover all kinds of responses, and many of them succeed.
    for (const code of [200, 201, 400, 404, 405, 409, 415, 422])
      expect(codes.get(code) ?? 0, `${code}s`).toBeGreaterThan(0);
    expect((codes.get(200) ?? 0) + (codes.get(201) ?? 0)).toBeGreaterThan(100);
    for (let turn = 0; turn < 100; turn += 1) {
      await turnOfEvents();
      server.clock.advance(1_000);
    }
    await server.settled();
    const state = await stateOf(server);
    await server.stop();
    expect(server.faults.map(stackOf)).toEqual([]);
    const again = await TestServer.start({ log, clock: server.clock });
    expect(await stateOf(again)).toEqual(state);
    await again.stop();
    expect(again.faults.map(stackOf)).toEqual([]);
  });
});
