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
import { layout } from "../admission/test-world.ts";
import { CliTestEnv, type CommandResult } from "./cli-test-env.ts";
import { ClusterClient, hasCondition } from "./cluster-client.ts";

// Runs the controllers on an API server without quota admission, where the test can write wrong values into a bucket.

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

let env: CliTestEnv;
let serving: Serving;
let controllers: Controllers;
let client: ClusterClient;
const reported: string[] = [];

beforeAll(async () => {
  env = await CliTestEnv.build();
  env.kubeconfig = join(env.directory, "kubeconfig");
  const report = (error: unknown): unknown => reported.push(String(error));
  const { kubeconfig } = env;
  serving = await serve({ host: "127.0.0.1", port: 0, token: "admin", kubeconfig, clock: systemClock, report });
  const runtime = runtimeOn(serving);
  const { planes } = runtime;
  await installKinds(planes.client(planes.root), quotaKinds, systemClock, new AbortController().signal);
  controllers = new Controllers({ runtime, leadership: "alone" });
  controllers.start();
  client = new ClusterClient(kubeconfig);
  for (const [manifest, condition] of [
    [registration("things"), "Active"],
    [registration("others"), "Active"],
    [grant("things"), "Active"],
    [grant("others"), "Active"],
    [claim("one"), "Granted"],
    [claim("two"), "Granted"],
    [claim("three"), "Granted"],
  ] as const) {
    expect(await client.create(manifest)).toEqual([]);
    await client.waitUntil(manifest, hasCondition(condition));
  }
  await env.runUntil(["usage", "-o", "json"], (result) => itemIn(result)?.allocated === 3);
}, 120_000);

afterAll(async () => {
  await client?.close();
  await controllers?.stop();
  await serving?.stop();
  await env?.stop();
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

const itemIn = ({ out }: CommandResult): Item | undefined =>
  (JSON.parse(out) as { items: readonly Item[] }).items.find(({ resourceType }) => resourceType === type);

describe("milo-quota recount of a bucket with wrong values", () => {
  beforeEach(async () => {
    const item = itemIn(await env.runAsAdmin(["usage", "-o", "json"]));
    const { namespace = "", name = "" } = item?.bucket ?? {};
    const bucket = `${head}\nkind: AllowanceBucket\nmetadata: { name: ${name}, namespace: ${namespace} }\n`;
    await client.patchStatus(bucket, { allocated: 1, available: 99 });
  });

  it("reports the differences, and has them fixed", async () => {
    const found = await env.runAsAdmin(["recount"]);
    expect(found.status).toBe(1);
    expect(found.out).toContain(
      `Namespace/default ${type}: allocated should be 3 things but is 1; available should be 97 things but is 99\n`,
    );
    expect(found.out).toContain("1 bucket differs. Run with --fix to have the controller recompute it.");
    const value = JSON.parse((await env.runAsAdmin(["recount", "-o", "json"])).out);
    expect(value.planes[0].drifts[0].differences).toEqual({
      allocated: { stored: 1, expected: 3 },
      available: { stored: 99, expected: 97 },
    });
    const fixed = await env.runAsAdmin(["recount", "--fix"]);
    expect([fixed.status, fixed.out]).toEqual([
      0,
      expect.stringContaining("The controller has recomputed it: all buckets match now."),
    ]);
    expect((await env.runAsAdmin(["recount"])).status).toBe(0);
  });

  it("fixes it while other buckets keep changing", async () => {
    let isDone = false;
    const busy = Promise.all(
      ["a", "b", "c", "d"].map(async (client) => {
        for (let at = 0; !isDone; at += 1) await createAndDelete(claim(`${client}-${at}`, "test/others"));
      }),
    );
    const { status, out } = await env.runAsAdmin(["recount", "--fix"]);
    isDone = true;
    await busy;
    expect([status, out]).toEqual([0, expect.stringContaining("1 bucket differs. The controller has recomputed it")]);
  });
});

async function createAndDelete(manifest: string): Promise<void> {
  expect(await client.create(manifest)).toEqual([]);
  await client.delete(manifest);
}
