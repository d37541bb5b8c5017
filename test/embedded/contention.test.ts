import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import { lightAbortController } from "@milo-quota/kubernetes/client/light-abort-controller.ts";
import { sleep } from "@milo-quota/kubernetes/client/sleep.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Body } from "../apiserver/test-server.ts";
import { quota } from "../tenancy/tenant-world.ts";
import { type ApiResponse, eventually } from "./api-client.ts";
import {
  grant,
  granted,
  map,
  policies,
  registrations,
  types,
  widget,
  widgetDefinition,
} from "./contention-manifests.ts";
import { claimPolicies, expectQuotaRejection, type Figures, isTrue, ProgramWorld } from "./program-world.ts";
import { RejectingWebhook } from "./rejecting-webhook.ts";

const namespaces = "/api/v1/namespaces";
const hooks = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
const inShop = (plural: string): string => `${namespaces}/shop/${plural}`;
const widgetsOf = (version: "v1" | "v2"): string => `/apis/example.com/${version}/namespaces/shop/widgets`;
const claimsIn = (namespace: string): string => `${quota}/namespaces/${namespace}/resourceclaims`;

/** Events are rate limited, so not every rejection has one. */
const manyEvents = /^events: more than 1000 events are waiting to be written/;

let world: ProgramWorld;
const hook = new RejectingWebhook();

beforeAll(async () => {
  world = await ProgramWorld.build(manyEvents);
  await hook.start();
}, 60_000);

afterAll(async () => {
  hook.stop();
  await world.remove();
});

const expectSuccess = (answer: Promise<ApiResponse>): Promise<ApiResponse> => world.expectSuccess(answer);

async function apply(path: string, wanted: object, holds: (object: Body) => boolean = () => true): Promise<void> {
  await expectSuccess(world.admin.apply(path, wanted));
  await world.admin.until(path, holds);
}

/** Expects this usage, and none of types that are not named. */
async function expectUsage(used: Partial<Record<keyof typeof types, number>>): Promise<void> {
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

/** Number of claim watches since the start. */
async function watchesOfClaims(): Promise<number> {
  const { text } = await world.admin.get("/metrics");
  const counts = text.matchAll(/^apiserver_request_total\{verb="WATCH",[^}]*resource="resourceclaims"[^}]*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

async function removeAll(path: string): Promise<void> {
  await expectSuccess(world.admin.remove(path));
  await eventually(async () => expect(await itemsOf(path)).toEqual([]));
}

/** Usage at the end, and after the restart. */
const theEnd = { widgets: 1, maps: 1, entries: 1, secrets: 2, accounts: 1_000 };

describe.each(["on an empty data folder", "again after a restart"])("contention for quota, %s", (time) => {
  const isFirst = time === "on an empty data folder";
  beforeAll(() => world.start(), 60_000);
  afterAll(() => world.stop());

  it("starts with the state before the restart", async () => {
    if (isFirst) return;
    await expectUsage(theEnd);
    await expectSuccess(world.admin.remove(`${namespaces}/shop`));
    await world.admin.gone(`${namespaces}/shop`);
    await eventually(async () => expect(await itemsOf(claimsIn("books"))).toEqual([]));
  });

  it("registers and grants quota for a namespace", async () => {
    await apply("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com", widgetDefinition);
    for (const name of ["shop", "books"])
      await apply(`${namespaces}/${name}`, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    for (const [name, wanted] of Object.entries(registrations))
      await apply(`${quota}/resourceregistrations/${name}`, wanted, isTrue("Active"));
    await apply(`${quota}/namespaces/shop/resourcegrants/all`, grant("shop"), isTrue("Active"));
    for (const [name, wanted] of Object.entries(policies))
      await apply(`${claimPolicies}/${name}`, wanted, isTrue("Ready"));
    await expectUsage({});
  });

  it("admits objects within quota without waiting, so that no claim watch is opened", async () => {
    const before = await watchesOfClaims();
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, at) => world.admin.create(inShop("serviceaccounts"), accountNamed(`first-${at}`))),
    );
    expect(new Set(answers.map(({ code }) => code))).toEqual(new Set([201]));
    expect(await watchesOfClaims()).toBe(before);
    await expectUsage({ accounts: 64 });
    await removeAll(inShop("serviceaccounts"));
    await expectUsage({});
  });

  it("opens one claim watch for many concurrent rejections", async () => {
    const before = await watchesOfClaims();
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, at) => world.admin.create(widgetsOf("v1"), widget(`first-${at}`, "v1"))),
    );
    expect(answers.map(({ code }) => code).sort()).toEqual([201, ...Array(63).fill(403)]);
    expect(await watchesOfClaims()).toBe(before + 1);
    await expectUsage({ widgets: 1 });
    await removeAll(widgetsOf("v1"));
    await expectUsage({});
  });

  it("admits an object only if all its policies do", async () => {
    await expectSuccess(world.admin.create(inShop("configmaps"), map("small", "a")));
    await expectUsage({ maps: 1, entries: 1 });
    const large = await world.admin.create(inShop("configmaps"), map("large", "a", "b", "c", "d"));
    expect(large.code, large.text).toBe(403);
    expect(large.body.details.causes.map(({ field }: Body) => field)).toEqual([types.entries]);
    await expectUsage({ maps: 1, entries: 1 });
    await expectSuccess(world.admin.create(inShop("configmaps"), map("fitting", "a", "b", "c")));
    expectQuotaRejection(
      await world.admin.create(inShop("configmaps"), map("one-more", "a")),
      short("entries", "entry"),
    );
    await expectSuccess(world.admin.create(inShop("configmaps"), map("empty")));
    expectQuotaRejection(await world.admin.create(inShop("configmaps"), map("empty-too")), short("maps", "config map"));
    for (const name of ["fitting", "empty"]) await expectSuccess(world.admin.remove(`${inShop("configmaps")}/${name}`));
    await expectUsage({ maps: 1, entries: 1 });
  });

  it("counts all versions of a kind together", async () => {
    await expectSuccess(world.admin.create(widgetsOf("v2"), widget("one", "v2")));
    for (const version of ["v1", "v2"] as const)
      expectQuotaRejection(
        await world.admin.create(widgetsOf(version), widget("two", version)),
        short("widgets", "widget"),
      );
    await expectUsage({ maps: 1, entries: 1, widgets: 1 });
  });

  it("frees the quota of an object that a webhook rejects immediately", async () => {
    await expectSuccess(world.admin.remove(`${widgetsOf("v1")}/one`));
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
    await expectSuccess(world.admin.create(widgetsOf("v2"), widget("one", "v2")));
    await expectSuccess(world.admin.remove(`${hooks}/names`));
    await expectUsage({ maps: 1, entries: 1, widgets: 1 });
  });

  it("keeps claims in another namespace, which the garbage collector does not delete", async () => {
    for (const name of ["one", "two"])
      await expectSuccess(world.admin.create(inShop("secrets"), { metadata: { name } }));
    expectQuotaRejection(
      await world.admin.create(inShop("secrets"), { metadata: { name: "three" } }),
      short("secrets", "secret"),
    );
    await sleep(systemClock, 2_000, lightAbortController().signal);
    const claims = await itemsOf(claimsIn("books"));
    expect(claims.map(({ spec }) => spec.resourceRef.name).sort()).toEqual(["one", "two"]);
    expectQuotaRejection(
      await world.admin.create(inShop("secrets"), { metadata: { name: "three" } }),
      short("secrets", "secret"),
    );
    await expectSuccess(world.admin.remove(`${inShop("secrets")}/two`));
    await expectUsage({ maps: 1, entries: 1, widgets: 1, secrets: 1 });
    await expectSuccess(world.admin.create(inShop("secrets"), { metadata: { name: "three" } }));
  });

  it("answers with a retry, not a rejection, if there is no decision in time", async () => {
    const rule = { apiGroups: ["quota.miloapis.com"], resources: ["resourceclaims"] };
    await apply(`${hooks}/claims`, hook.configuration("claims", rule));
    await sleep(systemClock, 1_000, lightAbortController().signal);
    const large = map("never-answered", "a", "b", "c", "d"); // over quota, so that it waits for the decision
    const answer = await world.admin.create(inShop("configmaps"), large);
    expect(answer.code, answer.text).toBe(503);
    expect(answer.body.details.retryAfterSeconds).toBeGreaterThan(0);
    expect(answer.body.details.causes.map(({ reason }: Body) => reason)).toEqual(["QuotaDecisionTimeout"]);
    await expectSuccess(world.admin.create(inShop("configmaps"), map("fitting")));
    await expectSuccess(world.admin.remove(`${inShop("configmaps")}/fitting`));
    await expectSuccess(world.admin.remove(`${hooks}/claims`));
    await sleep(systemClock, 1_000, lightAbortController().signal);
    await expectSuccess(world.admin.create(inShop("configmaps"), map("never-answered")));
    await expectSuccess(world.admin.remove(`${inShop("configmaps")}/never-answered`));
    await expectUsage({ maps: 1, entries: 1, widgets: 1, secrets: 2 });
  });

  it("admits exactly 1,000 of 3,000 concurrent creates", async () => {
    const answers = await Promise.all(
      Array.from({ length: 3_000 }, (_, at) => world.admin.create(inShop("serviceaccounts"), accountNamed(`${at}`))),
    );
    const count = (code: number): number => answers.filter((answer) => answer.code === code).length;
    expect({ created: count(201), rejected: count(403) }).toEqual({ created: 1_000, rejected: 2_000 });
    await expectUsage(theEnd);
    expect(await itemsOf(inShop("serviceaccounts"))).toHaveLength(1_000);
  }, 240_000);

  it("passes a recount at the end", async () => {
    await expectUsage(theEnd);
    const { code, stdout, stderr } = await world.command("recount");
    expect(code, stdout + stderr).toBe(0);
  });
});

function accountNamed(name: string): object {
  return { metadata: { name: `account-${name}` } };
}
