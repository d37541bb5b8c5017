import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { allCases } from "./differential/all-cases.ts";
import { ApiClient } from "./differential/api-client.ts";
import { differences } from "./differential/differences.ts";
import { runCase } from "./differential/run-case.ts";
import { type EmbeddedControlPlane, startEmbeddedControlPlane } from "./embedded-control-plane.ts";

let real: ControlPlane;
let embedded: EmbeddedControlPlane;
let clients: readonly [ApiClient, ApiClient];

beforeAll(async () => {
  [real, embedded] = await Promise.all([startControlPlane(), startEmbeddedControlPlane()]);
  clients = [new ApiClient(real), new ApiClient(embedded)];
}, 180_000);

afterAll(async () => {
  for (const client of clients) client.close();
  await Promise.all([real.stop(), embedded.stop()]);
});

describe("the embedded server answers as Kubernetes does", () => {
  it.each(allCases.map((each, index) => [each.name, each, index] as const))("%s", async (_name, each, index) => {
    const namespace = `case-${index}`;
    const [expected, actual] = await Promise.all(clients.map((client) => runCase(client, each, namespace)));
    const allowed = Object.keys(each.mayDiffer ?? {});
    const found = differences(expected, actual).filter(({ path }) => !allowed.includes(path));
    expect(found).toEqual([]);
    expect(embedded.faults).toEqual([]);
  });
});
