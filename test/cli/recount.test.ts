import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { type Serving, serve } from "@milo-quota/apiserver/serve.ts";
import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import { directTransport } from "@milo-quota/kubernetes/client/transport/direct-transport.ts";
import { Controllers } from "@milo-quota/quota/controllers/controllers.ts";
import { quotaKinds } from "@milo-quota/quota/core/resources/kinds.ts";
import { installKinds } from "@milo-quota/quota/embedded/install-kinds.ts";
import { planesOfServer } from "@milo-quota/quota/views/planes-of-server.ts";
import type { Runtime } from "@milo-quota/quota/views/runtime.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { layout } from "../admission/served-world.ts";
import { CliWorld, type Said } from "./cli-world.ts";
import { ClusterHands, holds } from "./cluster-hands.ts";

// Controllers beside a server that lets anybody write buckets, as a cluster does: only there can a bucket be wrong.

const type = "test/things";
const head = "apiVersion: quota.miloapis.com/v1alpha1";
const metadata = (name: string): string => `metadata: { name: ${name}, namespace: default }`;
const consumer = "consumerRef: { kind: Namespace, name: default }";
const registration = (name: string): string => `${head}
kind: ResourceRegistration
metadata: { name: ${name} }
spec: { resourceType: test/${name}, type: Entity, baseUnit: thing, consumerType: { apiGroup: "", kind: Namespace } }
`;
const grant = (name: string): string => `${head}
kind: ResourceGrant
${metadata(name)}
spec: { ${consumer}, allowances: [{ resourceType: test/${name}, buckets: [{ amount: 100 }] }] }
`;
const claim = (name: string, of = type): string => `${head}
kind: ResourceClaim
${metadata(name)}
spec: { ${consumer}, requests: [{ resourceType: ${of}, amount: 1 }] }
`;

let world: CliWorld;
let serving: Serving;
let controllers: Controllers;
let hands: ClusterHands;
const reported: string[] = [];

beforeAll(async () => {
  world = await CliWorld.build();
  world.kubeconfig = join(world.folder, "kubeconfig");
  const report = (error: unknown): unknown => reported.push(String(error));
  const { kubeconfig } = world;
  serving = await serve({ host: "127.0.0.1", port: 0, token: "admin", kubeconfig, clock: systemClock, report });
  const runtime = runtimeOn(serving);
  const { planes } = runtime;
  await installKinds(planes.client(planes.root), quotaKinds, systemClock, new AbortController().signal);
  controllers = new Controllers({ runtime, leadership: "alone" });
  controllers.start();
  hands = new ClusterHands(kubeconfig);
  for (const [manifest, condition] of [
    [registration("things"), "Active"],
    [registration("others"), "Active"],
    [grant("things"), "Active"],
    [grant("others"), "Active"],
    [claim("one"), "Granted"],
    [claim("two"), "Granted"],
    [claim("three"), "Granted"],
  ] as const) {
    expect(await hands.create(manifest)).toEqual([]);
    await hands.until(manifest, holds(condition));
  }
  await world.until(["usage", "-o", "json"], (said) => itemIn(said)?.allocated === 3);
}, 120_000);

afterAll(async () => {
  await hands?.close();
  await controllers?.stop();
  await serving?.stop();
  await world?.stop();
  expect(reported).toEqual([]);
});

function runtimeOn({ server }: Serving): Runtime {
  const user = { username: "system:milo-quota", uid: "", groups: ["system:masters"], extra: {} };
  return {
    planes: planesOfServer(
      directTransport((request) => server.api.handle(request), user),
      layout,
    ),
    clock: systemClock,
    elapsedMs: () => performance.now(),
    random: { fraction: Math.random, uuid: randomUUID },
    incarnation: randomUUID(),
    report: (where, error) => reported.push(`${where}: ${(error as Error).message}`),
  };
}

interface Item {
  readonly resourceType: string;
  readonly allocated: number;
  readonly bucket: { readonly namespace: string; readonly name: string };
}

const itemIn = ({ out }: Said): Item | undefined =>
  (JSON.parse(out) as { items: readonly Item[] }).items.find(({ resourceType }) => resourceType === type);

describe("milo-quota recount, of a bucket that somebody wrote", () => {
  beforeEach(async () => {
    const item = itemIn(await world.ask(["usage", "-o", "json"]));
    const { namespace = "", name = "" } = item?.bucket ?? {};
    const bucket = `${head}\nkind: AllowanceBucket\nmetadata: { name: ${name}, namespace: ${namespace} }\n`;
    await hands.patchStatus(bucket, { allocated: 1, available: 99 });
  });

  it("tells what it says wrongly, and has it put right", async () => {
    const found = await world.ask(["recount"]);
    expect(found.status).toBe(1);
    expect(found.out).toContain(
      `Namespace/default ${type}: allocated is 3 things, the page says 1; available is 97 things, the page says 99\n`,
    );
    expect(found.out).toContain("1 bucket differs. --fix has them counted anew.");
    const value = JSON.parse((await world.ask(["recount", "-o", "json"])).out);
    expect(value.planes[0].drifts[0].differences).toEqual({
      allocated: { page: 1, counted: 3 },
      available: { page: 99, counted: 97 },
    });
    const fixed = await world.ask(["recount", "--fix"]);
    expect([fixed.status, fixed.out]).toEqual([
      0,
      expect.stringContaining("All were counted anew, and are right now."),
    ]);
    expect((await world.ask(["recount"])).status).toBe(0);
  });

  it("has it put right among buckets that never rest", async () => {
    let isOver = false;
    const busy = Promise.all(
      ["a", "b", "c", "d"].map(async (client) => {
        for (let at = 0; !isOver; at += 1) await comesAndGoes(claim(`${client}-${at}`, "test/others"));
      }),
    );
    const { status, out } = await world.ask(["recount", "--fix"]);
    isOver = true;
    await busy;
    expect([status, out]).toEqual([0, expect.stringContaining("1 bucket differs. All were counted anew")]);
  });
});

async function comesAndGoes(manifest: string): Promise<void> {
  expect(await hands.create(manifest)).toEqual([]);
  await hands.remove(manifest);
}
