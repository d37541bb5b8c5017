// Records a data folder of the program in dist/, which is killed while objects are created:
//
//   npm run build && npx tsx test/embedded/recorded-data/record.ts NAME [--uncounted]
//
// With --uncounted it retries until granted claims hold more than their buckets count, which version 0.1.0 allows.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ConnectionFailed } from "@milo-quota/kubernetes/client/transport/transport.ts";
import type { Body } from "../../apiserver/test-server.ts";
import { ApiClient } from "../api-client.ts";
import { RunningProgram } from "../running-program.ts";
import { accountOfScope, accountsOf } from "./bucket-accounts.ts";
import { busy, idle, nearlyFull, prepare, type QuotaScope, scopes, sized, web } from "./recorded-scopes.ts";
import { type PlaneObject, pack, storedObjects } from "./recording.ts";

const triesMax = 30;

const program = ["dist/milo-quota.js", "up", "--port", "0", "--data-dir"];

/** Creates objects of sizes 1, 1, 2, 1, 1, 2 and so on, and deletes the oldest ones. */
class Client {
  readonly #client: ApiClient;
  readonly #scope: QuotaScope;
  readonly #names: string[] = [];
  #count = 0;

  constructor(client: ApiClient, scope: QuotaScope) {
    this.#client = client;
    this.#scope = scope;
  }

  async create(count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, () => this.#createOne()));
  }

  async delete(count: number): Promise<void> {
    const oldest = this.#names.splice(0, count);
    await Promise.all(oldest.map((name) => this.#client.remove(`${this.#scope.objects}/${name}`)));
  }

  async #createOne(): Promise<void> {
    this.#count += 1;
    const name = `object-${this.#count}`;
    const { code, text } = await this.#client.create(this.#scope.objects, sized(name, this.#count % 3 === 0 ? 2 : 1));
    if (code !== 201) throw new Error(text);
    this.#names.push(name);
  }
}

/** Repeats a step until the server is killed. */
async function untilKilled(everyMs: number, step: () => Promise<void>): Promise<void> {
  try {
    for (;;) {
      await step();
      await pause(everyMs);
    }
  } catch (error) {
    if (!(error instanceof ConnectionFailed)) throw error;
  }
}

/** Starts the program on an empty folder, and kills it while all consumers create objects and one deletes some. */
async function record(directory: string): Promise<void> {
  const running = new RunningProgram(process.execPath, [...program, directory]);
  try {
    await running.welcome();
    const clients = scopes.map(() => ApiClient.byKubeconfig(join(directory, "kubeconfig")));
    const [first] = clients as [ApiClient];
    await prepare(first);
    const clientOf = (scope: QuotaScope) => new Client(clients[scopes.indexOf(scope)] ?? first, scope);
    const [inBusy, inNearlyFull] = [clientOf(busy), clientOf(nearlyFull)];
    const [inIdle, inWeb] = [clientOf(idle), clientOf(web)];
    await Promise.all([inBusy.create(100), inNearlyFull.create(38), inIdle.create(5), inWeb.create(15)]);
    await Promise.all([inBusy.delete(20), inNearlyFull.delete(3), inIdle.delete(1), inWeb.delete(3)]);
    const load = [
      untilKilled(20, () => inBusy.create(2)),
      untilKilled(150, () => inBusy.delete(1)),
      untilKilled(120, () => inNearlyFull.create(1)),
      untilKilled(70, () => inIdle.create(1)),
      untilKilled(70, () => inWeb.create(1)),
    ];
    await pause(700);
    await inBusy.delete(3); // their claims may still exist at the kill
    await running.end("SIGKILL");
    await Promise.all(load);
    await Promise.all(clients.map((client) => client.close()));
  } finally {
    await running.end("SIGKILL");
  }
}

/** Claims whose object was deleted before the kill or never stored. */
function claimsWithoutObject(objects: readonly PlaneObject[]): number {
  const uids = new Set(objects.map(({ object }) => object.metadata.uid));
  const claims = accountsOf(objects).flatMap((account) => account.claims);
  return claims.filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }: Body) => !uids.has(uid))).length;
}

/** Whether every scope has uncounted claims and some claim has to be deleted at the next start. */
function isUncounted(objects: readonly PlaneObject[]): boolean {
  const accounts = accountsOf(objects);
  const uncounted = scopes.filter((scope) => {
    const { ahead, held, allocated } = accountOfScope(accounts, scope);
    return ahead > 0 && held > allocated;
  });
  return uncounted.length === scopes.length && claimsWithoutObject(objects) > 0;
}

/** Lines for the README. */
function contentsOf(objects: readonly PlaneObject[]): string {
  const lines = accountsOf(objects).map((account) => {
    const { plane, consumer, resourceType, limit, claims, held, allocated, ahead } = account;
    return `| ${plane} | ${consumer} | ${[resourceType, limit, claims.length, held, allocated, ahead].join(" | ")} |`;
  });
  const counts = new Map<string, number>();
  for (const { plane, resource } of objects) {
    const key = `${resource} in ${plane}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [
    `${objects.length} objects: ${[...counts].map(([key, count]) => `${count} ${key}`).join(", ")}`,
    "",
    "| plane | consumer | resource type | limit | granted claims | they hold | allocated | ahead |",
    "|---|---|---|---|---|---|---|---|",
    ...lines,
    "",
    `claims without an object: ${claimsWithoutObject(objects)}`,
  ].join("\n");
}

const [name, flag] = process.argv.slice(2);
if (name === undefined) throw new Error("usage: npx tsx test/embedded/recorded-data/record.ts NAME [--uncounted]");
for (let tries = 1; ; tries += 1) {
  const directory = mkdtempSync(join(tmpdir(), "milo-quota-recorded-"));
  try {
    await record(directory);
    const objects = storedObjects(directory);
    console.log(`try ${tries}\n${contentsOf(objects)}`);
    if (flag !== "--uncounted" || isUncounted(objects)) {
      console.log(`packed into ${pack(directory, name)} bytes`);
      break;
    }
    if (tries === triesMax) throw new Error(`all claims were counted, ${triesMax} times`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
