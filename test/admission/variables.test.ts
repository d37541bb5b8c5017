import { afterEach, describe, expect, it } from "vitest";
import { AdmissionWorld } from "./admission-world.ts";
import { shipsDefinition, shipsType } from "./object-types.ts";
import {
  claimsIn,
  configMap,
  configMapKind,
  createPolicy,
  policy,
  registerAndGrant,
  ship,
  shipKind,
} from "./quota-objects.ts";
import { type ApiResponse, eventually, type Json, type TestWorld } from "./test-world.ts";
import { WebhookWorld } from "./webhook-world.ts";

type World = TestWorld & { stop(): Promise<void> };

const kinds = [
  { group: "", resources: ["configmaps"] },
  { group: "fleet.example", resources: ["ships", "ships/scale"] },
];

const worlds: Record<string, () => Promise<World>> = {
  embedded: () => AdmissionWorld.start({ waitMsMax: 60_000 }),
  "over webhooks": async () => {
    const world = await WebhookWorld.start(1);
    await world.routeTo(0, kinds);
    return world;
  },
};

const maps = "/api/v1/namespaces/default/configmaps";
const ships = "/apis/fleet.example/v1/namespaces/default/ships";
const merge = "application/merge-patch+json";
const tina = {
  username: "tina",
  uid: "u-1",
  groups: ["staff", "system:masters"],
  extra: { scopes: ["read", "write"] },
};
const tom = { username: "tom", uid: "u-2", groups: ["system:masters"], extra: {} };

const ofTina = [
  'user.name == "tina"',
  'user.uid == "u-1"',
  '"staff" in user.groups',
  'user.extra["scopes"] == ["read", "write"]',
];
const ofMaps = [
  'requestInfo.verb == "create"',
  'requestInfo.apiGroup == "" && requestInfo.apiVersion == "v1" && requestInfo.resource == "configmaps"',
  'requestInfo.subresource == "" && requestInfo.namespace == "default" && requestInfo.name == "a"',
];
const conditions = (...expressions: string[]) => expressions.map((expression) => ({ expression }));

describe.each(Object.entries(worlds))("%s, a policy", (_, start) => {
  let world: World;

  afterEach(async () => {
    await world.stop();
    expect(world.unexpectedReports).toEqual([]);
  });

  const post = (name: string, user: typeof tina | typeof tom): Promise<ApiResponse> =>
    world.request({ method: "POST", path: maps, body: configMap(name), user });

  /** Nothing is granted, so all matching objects are rejected. */
  async function rejecting(...constraints: string[]): Promise<void> {
    await registerAndGrant(world, "core/configmaps", configMapKind, 0);
    const parts = { constraints: conditions(...constraints) };
    await createPolicy(world, policy("maps", configMapKind, "core/configmaps", parts));
  }

  it("can use the user of the request", async () => {
    world = await start();
    await rejecting(...ofTina);
    expect((await post("a", tina)).code).toBe(403);
    expect((await post("a", tom)).code).toBe(201);
  });

  it("can use the attributes of the request", async () => {
    world = await start();
    await rejecting(...ofMaps);
    expect((await post("a", tina)).code).toBe(403);
    expect((await post("b", tina)).code).toBe(201);
    const path = `${maps}/b`;
    const body = { metadata: { labels: { changed: "yes" } } };
    expect((await world.request({ method: "PATCH", path, body, type: merge })).code).toBe(200);
  });

  it("can use both in its claim template", async () => {
    world = await start();
    await registerAndGrant(world, "core/configmaps", configMapKind, 1);
    const notes = { "example.com/asked": "{{ user.name }} {{ .requestInfo.verb }} {{ requestInfo.resource }}" };
    const metadata = { annotations: notes };
    await createPolicy(world, policy("maps", configMapKind, "core/configmaps", { metadata }));
    expect((await post("a", tina)).code).toBe(201);
    const [claim] = (await claimsIn(world)) as unknown as { metadata: { annotations: Json } }[];
    expect(claim?.metadata.annotations).toMatchObject({ "example.com/asked": "tina create configmaps" });
  });

  it("can distinguish creates, updates and subresource updates", async () => {
    world = await start();
    await world.define(shipsDefinition, shipsType);
    await registerAndGrant(world, "fleet.example/tons", shipKind, 0);
    const constraints = conditions('requestInfo.verb == "update" && requestInfo.subresource == "scale"');
    const requests = [{ resourceType: "fleet.example/tons", amountExpression: "trigger.spec.replicas" }];
    await createPolicy(world, policy("tons", shipKind, "fleet.example/tons", { constraints, requests }));
    expect(await world.tryCreate(shipsType, ship("a", { replicas: 1 }))).toMatchObject({ code: 201 });
    const patch = (path: string, spec: Json) => world.request({ method: "PATCH", path, body: { spec }, type: merge });
    expect((await patch(`${ships}/a`, { replicas: 2 })).code).toBe(200);
    await eventually(async () => {
      const { code, message } = await patch(`${ships}/a/scale`, { replicas: 3 });
      expect(code).toBe(403);
      expect(message).toContain("requested 1 more ton,");
    });
  });
});
