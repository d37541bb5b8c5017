import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import { pause } from "@milo-quota/kubernetes/client/pause.ts";
import { sharedAbort } from "@milo-quota/kubernetes/client/shared-abort.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Body } from "../apiserver/test-server.ts";
import { quota } from "../tenancy/tenant-world.ts";
import { grant, granted, map, policies, registrations, types, widget, widgetDefinition } from "./crowd-manifests.ts";
import { type Answer, eventually } from "./front-door.ts";
import { RefusingWebhook } from "./refusing-webhook.ts";
import { claimPolicies, expectRefused, type Figures, isTrue, StoryWorld } from "./story-world.ts";

const namespaces = "/api/v1/namespaces";
const hooks = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
const inShop = (plural: string): string => `${namespaces}/shop/${plural}`;
const widgetsOf = (version: "v1" | "v2"): string => `/apis/example.com/${version}/namespaces/shop/widgets`;
const claimsIn = (namespace: string): string => `${quota}/namespaces/${namespace}/resourceclaims`;

/** Of so many refusals at once, not each is told by an event. */
const manyEvents = /^events: more than 1000 events wait to be written/;

let world: StoryWorld;
const hook = new RefusingWebhook();

beforeAll(async () => {
  world = await StoryWorld.build(manyEvents);
  await hook.start();
}, 60_000);

afterAll(async () => {
  hook.stop();
  await world.remove();
});

const made = (answer: Promise<Answer>): Promise<Answer> => world.made(answer);

async function apply(path: string, wanted: object, holds: (object: Body) => boolean = () => true): Promise<void> {
  await made(world.admin.apply(path, wanted));
  await world.admin.until(path, holds);
}

/** What is used of each type; nothing of those that are not named. */
async function isUsed(used: Partial<Record<keyof typeof types, number>>): Promise<void> {
  const figures = Object.entries(types).map(([name, resourceType]): readonly [string, Figures] => {
    const limit = granted[name as keyof typeof granted];
    const allocated = used[name as keyof typeof types] ?? 0;
    return [resourceType, [limit, allocated, 0, limit - allocated]];
  });
  await world.shows("shop", "", Object.fromEntries(figures));
}

const short = (type: keyof typeof types, unit: string, requested = 1): readonly [string, string] => [
  types[type],
  `${types[type]} for Namespace "shop": requested ${requested} ${unit}, limit ${granted[type]}, allocated ${granted[type]}, reserved 0, available 0`,
];

async function itemsOf(path: string): Promise<readonly Body[]> {
  return (await world.admin.get(path)).body.items;
}

/** How many watches of claims were begun since the start. */
async function watchesOfClaims(): Promise<number> {
  const { text } = await world.admin.get("/metrics");
  const counts = text.matchAll(/^apiserver_request_total\{verb="WATCH",[^}]*resource="resourceclaims"[^}]*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

async function removeAll(path: string): Promise<void> {
  await made(world.admin.remove(path));
  await eventually(async () => expect(await itemsOf(path)).toEqual([]));
}

/** What the crowd leaves behind, and finds when it comes again. */
const theEnd = { widgets: 1, maps: 1, entries: 1, secrets: 2, accounts: 1_000 };

describe.each(["on an empty data folder", "again on what it left"])("a crowd, %s", (time) => {
  const isFirst = time === "on an empty data folder";
  beforeAll(() => world.start(), 60_000);
  afterAll(() => world.stop());

  it("starts with what there was when it was stopped", async () => {
    if (isFirst) return;
    await isUsed(theEnd);
    await made(world.admin.remove(`${namespaces}/shop`));
    await world.admin.gone(`${namespaces}/shop`);
    await eventually(async () => expect(await itemsOf(claimsIn("books"))).toEqual([]));
  });

  it("is given quota in a namespace", async () => {
    await apply("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com", widgetDefinition);
    for (const name of ["shop", "books"])
      await apply(`${namespaces}/${name}`, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    for (const [name, wanted] of Object.entries(registrations))
      await apply(`${quota}/resourceregistrations/${name}`, wanted, isTrue("Active"));
    await apply(`${quota}/namespaces/shop/resourcegrants/all`, grant("shop"), isTrue("Active"));
    for (const [name, wanted] of Object.entries(policies))
      await apply(`${claimPolicies}/${name}`, wanted, isTrue("Ready"));
    await isUsed({});
  });

  it("waits for no answers while there is enough, so that no stream of claims is opened", async () => {
    const before = await watchesOfClaims();
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, at) => world.admin.create(inShop("serviceaccounts"), accountNamed(`first-${at}`))),
    );
    expect(new Set(answers.map(({ code }) => code))).toEqual(new Set([201]));
    expect(await watchesOfClaims()).toBe(before);
    await isUsed({ accounts: 64 });
    await removeAll(inShop("serviceaccounts"));
    await isUsed({});
  });

  it("opens one stream of claims, however many are refused first", async () => {
    const before = await watchesOfClaims();
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, at) => world.admin.create(widgetsOf("v1"), widget(`first-${at}`, "v1"))),
    );
    expect(answers.map(({ code }) => code).sort()).toEqual([201, ...Array(63).fill(403)]);
    expect(await watchesOfClaims()).toBe(before + 1);
    await isUsed({ widgets: 1 });
    await removeAll(widgetsOf("v1"));
    await isUsed({});
  });

  it("is let in by all policies about an object, or takes nothing of any", async () => {
    await made(world.admin.create(inShop("configmaps"), map("small", "a")));
    await isUsed({ maps: 1, entries: 1 });
    const large = await world.admin.create(inShop("configmaps"), map("large", "a", "b", "c", "d"));
    expect(large.code, large.text).toBe(403);
    expect(large.body.details.causes.map(({ field }: Body) => field)).toEqual([types.entries]);
    await isUsed({ maps: 1, entries: 1 });
    await made(world.admin.create(inShop("configmaps"), map("fitting", "a", "b", "c")));
    expectRefused(await world.admin.create(inShop("configmaps"), map("one-more", "a")), short("entries", "entry"));
    await made(world.admin.create(inShop("configmaps"), map("empty")));
    expectRefused(await world.admin.create(inShop("configmaps"), map("empty-too")), short("maps", "config map"));
    for (const name of ["fitting", "empty"]) await made(world.admin.remove(`${inShop("configmaps")}/${name}`));
    await isUsed({ maps: 1, entries: 1 });
  });

  it("does not get around a limit by another version of the same kind", async () => {
    await made(world.admin.create(widgetsOf("v2"), widget("one", "v2")));
    for (const version of ["v1", "v2"] as const)
      expectRefused(await world.admin.create(widgetsOf(version), widget("two", version)), short("widgets", "widget"));
    await isUsed({ maps: 1, entries: 1, widgets: 1 });
  });

  it("has back at once what was granted to an object that somebody else refused", async () => {
    await made(world.admin.remove(`${widgetsOf("v1")}/one`));
    await apply(`${hooks}/names`, hook.configuration("names", { apiGroups: ["example.com"], resources: ["widgets"] }));
    await eventually(async () => {
      const answer = await world.admin.create(widgetsOf("v1"), widget("unwanted", "v1"));
      expect(answer.text).toContain("not this one");
    });
    const answers = await Promise.all([
      world.admin.create(widgetsOf("v1"), widget("unwanted", "v1")),
      world.admin.create(widgetsOf("v2"), widget("unwanted-too", "v2")),
    ]);
    for (const { text, body } of answers) if (body.reason !== "Forbidden") expect(text).toContain("not this one");
    await made(world.admin.create(widgetsOf("v2"), widget("one", "v2")));
    await made(world.admin.remove(`${hooks}/names`));
    await isUsed({ maps: 1, entries: 1, widgets: 1 });
  });

  it("is counted by claims that are elsewhere, and nobody takes them for garbage", async () => {
    for (const name of ["one", "two"]) await made(world.admin.create(inShop("secrets"), { metadata: { name } }));
    expectRefused(
      await world.admin.create(inShop("secrets"), { metadata: { name: "three" } }),
      short("secrets", "secret"),
    );
    await pause(systemClock, 2_000, sharedAbort().signal);
    const claims = await itemsOf(claimsIn("books"));
    expect(claims.map(({ spec }) => spec.resourceRef.name).sort()).toEqual(["one", "two"]);
    expectRefused(
      await world.admin.create(inShop("secrets"), { metadata: { name: "three" } }),
      short("secrets", "secret"),
    );
    await made(world.admin.remove(`${inShop("secrets")}/two`));
    await isUsed({ maps: 1, entries: 1, widgets: 1, secrets: 1 });
    await made(world.admin.create(inShop("secrets"), { metadata: { name: "three" } }));
  });

  it("is told to try again when nothing could be decided in time, and that nothing was refused", async () => {
    const rule = { apiGroups: ["quota.miloapis.com"], resources: ["resourceclaims"] };
    await apply(`${hooks}/claims`, hook.configuration("claims", rule));
    await pause(systemClock, 1_000, sharedAbort().signal);
    const large = map("never-answered", "a", "b", "c", "d"); // what fits needs no answer
    const answer = await world.admin.create(inShop("configmaps"), large);
    expect(answer.code, answer.text).toBe(503);
    expect(answer.body.details.retryAfterSeconds).toBeGreaterThan(0);
    expect(answer.body.details.causes.map(({ reason }: Body) => reason)).toEqual(["QuotaDecisionTimeout"]);
    await made(world.admin.create(inShop("configmaps"), map("fitting")));
    await made(world.admin.remove(`${inShop("configmaps")}/fitting`));
    await made(world.admin.remove(`${hooks}/claims`));
    await pause(systemClock, 1_000, sharedAbort().signal);
    await made(world.admin.create(inShop("configmaps"), map("never-answered")));
    await made(world.admin.remove(`${inShop("configmaps")}/never-answered`));
    await isUsed({ maps: 1, entries: 1, widgets: 1, secrets: 2 });
  });

  it("of 3,000 gets exactly the 1,000 that there are", async () => {
    const answers = await Promise.all(
      Array.from({ length: 3_000 }, (_, at) => world.admin.create(inShop("serviceaccounts"), accountNamed(`${at}`))),
    );
    const count = (code: number): number => answers.filter((answer) => answer.code === code).length;
    expect({ made: count(201), refused: count(403) }).toEqual({ made: 1_000, refused: 2_000 });
    await isUsed(theEnd);
    expect(await itemsOf(inShop("serviceaccounts"))).toHaveLength(1_000);
  }, 240_000);

  it("has books that are right in the end", async () => {
    await isUsed(theEnd);
    const { code, stdout, stderr } = await world.command("recount");
    expect(code, stdout + stderr).toBe(0);
  });
});

function accountNamed(name: string): object {
  return { metadata: { name: `account-${name}` } };
}
