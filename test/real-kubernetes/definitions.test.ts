import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { ApiClient, type Reply } from "./differential/api-client.ts";

const folder = "deploy/crds";
const files = readdirSync(folder).filter((file) => file.endsWith(".yaml"));
const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

let plane: ControlPlane;
let client: ApiClient;

beforeAll(async () => {
  plane = await startControlPlane();
  client = new ApiClient(plane);
}, 1_800_000);

afterAll(async () => {
  client.close();
  await plane.stop();
});

describe("the CRDs in deploy/crds on a real Kubernetes", () => {
  it.each(files)("%s is established without a warning", async (file) => {
    const definition = parse(readFileSync(join(folder, file), "utf8")) as {
      readonly metadata: { readonly name: string };
    };
    const created = await client.send({
      method: "POST",
      path,
      body: JSON.stringify(definition),
      headers: { "content-type": "application/json" },
    });
    expect([created.code, created.headers["warning"]]).toEqual([201, undefined]);
    const conditions = await settled(`${path}/${definition.metadata.name}`);
    expect(conditions).toMatchObject({ NamesAccepted: "True", Established: "True" });
    expect(conditions).not.toHaveProperty("NonStructuralSchema");
  });
});

async function settled(at: string): Promise<Readonly<Record<string, string>>> {
  for (;;) {
    const conditions = conditionsIn(await client.send({ method: "GET", path: at }));
    if (conditions["Established"] === "True") return conditions;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function conditionsIn({ body }: Reply): Readonly<Record<string, string>> {
  const { status = {} } = JSON.parse(body) as { status?: { conditions?: { type: string; status: string }[] } };
  return Object.fromEntries((status.conditions ?? []).map((condition) => [condition.type, condition.status]));
}
