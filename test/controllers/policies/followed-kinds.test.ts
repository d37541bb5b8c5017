import type { KindDirectory } from "@milo-quota/kubernetes/client/discovery/kind-directory.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { FollowedPhase } from "@milo-quota/quota/controllers/followed-kind.ts";
import { FollowedKinds } from "@milo-quota/quota/controllers/followed-kinds.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { definitions, widgetDefinition, widgets } from "../../api-client/kinds.ts";
import type { QuotaWorld } from "../grants/quota-world.ts";
import { configMap, configMaps, signal, startPolicyWorld } from "./policy-world.ts";

const configMapKind = { apiGroup: "", kind: "ConfigMap" };
const widgetKind = { apiGroup: "client.example.com", kind: "Widget" };
const definition = { name: widgetDefinition.metadata.name };

let world: QuotaWorld;
let directory: KindDirectory;
let told: string[];
/** What is kept of an object: its field of this name. */
let field: string;
let elsewhere: readonly string[];
let followed: FollowedKinds<string>;

beforeEach(async () => {
  ({ world, directory } = await startPolicyWorld(["root", "a"]));
  told = [];
  field = "v";
  elsewhere = [];
  followed = world.run(follow());
});

afterEach(() => world.stop());

function follow(): FollowedKinds<string> {
  return new FollowedKinds<string>({
    runtime: world.runtime,
    directory,
    where: "test",
    planesOf: () => elsewhere,
    keep: (object, plane, { kind }) => {
      const { name } = object["metadata"] as { name: string };
      const value = (object["data"] as JsonObject | undefined)?.[field] ?? (kind === "Widget" ? name : undefined);
      if (value === "bad") throw new Error("no value");
      return value === undefined ? undefined : `${plane}:${String(value)}`;
    },
    handler: {
      added: ({ kind }, { plane, name }, now) => told.push(`+ ${kind} ${plane}/${name} ${now}`),
      changed: ({ kind }, { plane, name }, before, now) => told.push(`~ ${kind} ${plane}/${name} ${before} ${now}`),
      removed: ({ kind }, { plane, name }, before) => told.push(`- ${kind} ${plane}/${name} ${before}`),
      settled: ({ kind }) => told.push(`= ${kind}`),
    },
  });
}

const become = (...expected: readonly string[]) => world.eventually(() => expect(told).toEqual(expected));
/** A watch may go on after its kind has gone, until its time is over, which is ten minutes at most. */
const turnsOfWatch = 6_500;
const reach = (phase: FollowedPhase) =>
  world.eventually(() => expect(followed.phase(widgetKind)).toBe(phase), turnsOfWatch);
const widget = (name: string) => ({
  apiVersion: "client.example.com/v1",
  kind: "Widget",
  metadata: { name, namespace: "default" },
});
const define = (plane = "root") => world.create(definitions, widgetDefinition, plane);
const undefine = () => world.delete(definitions, definition.name);
const isServed = () =>
  world.eventually(async () => void (await world.resource(widgets).list({ namespace: "default" }, signal)));
/** What is there beside what a test made. */
const only = { v: "1" };

describe("kinds that are followed", () => {
  it("are told of in all planes: what is there, and what happens then", async () => {
    await world.create(configMaps, configMap("one", only));
    followed.want([configMapKind]);
    await become("+ ConfigMap root/one root:1", "= ConfigMap");
    expect(followed.phase(configMapKind)).toBe("live");
    await world.create(configMaps, configMap("two", { v: "2" }), "a");
    await world.create(configMaps, configMap("uninteresting", {}), "a");
    await become("+ ConfigMap root/one root:1", "= ConfigMap", "+ ConfigMap a/two a:2");
    await world.patch(configMaps, "one", { data: { v: "3" } });
    await world.delete(configMaps, "one");
    await become(
      "+ ConfigMap root/one root:1",
      "= ConfigMap",
      "+ ConfigMap a/two a:2",
      "~ ConfigMap root/one root:1 root:3",
      "- ConfigMap root/one root:3",
    );
    expect(followed.get(configMapKind, { plane: "a", namespace: "default", name: "two" })).toBe("a:2");
    expect([...followed.entries(configMapKind)].map(([, kept]) => kept)).toEqual(["a:2"]);
  });

  it("begin when they are served", async () => {
    followed.want([widgetKind]);
    expect(followed.phase(widgetKind)).toBe("starting");
    await become("= Widget");
    expect(followed.phase(widgetKind)).toBe("unserved");
    await define();
    await isServed();
    await world.create(widgets, widget("one"));
    await become("= Widget", "+ Widget root/one root:one", "= Widget");
    expect(followed.phase(widgetKind)).toBe("live");
  });

  it("are gone with their definition, and come back with it", async () => {
    await define();
    await isServed();
    await world.create(widgets, widget("one"));
    followed.want([widgetKind]);
    await become("+ Widget root/one root:one", "= Widget");
    await undefine();
    await reach("unserved");
    expect(told).toEqual(["+ Widget root/one root:one", "= Widget", "- Widget root/one root:one", "= Widget"]);
    await define();
    await isServed();
    await world.create(widgets, widget("two"));
    await world.eventually(() => expect(told.slice(4)).toEqual(["+ Widget root/two root:two", "= Widget"]));
  });

  it("are not given up while one plane that has some still serves them", async () => {
    await define();
    await define("a");
    await isServed();
    await world.eventually(
      async () => void (await world.resource(widgets, "a").list({ namespace: "default" }, signal)),
    );
    await world.create(widgets, widget("one"), "a");
    followed.want([widgetKind]);
    await become("+ Widget a/one a:one", "= Widget");
    await undefine();
    for (let minute = 0; minute < 12; minute += 1) await world.pass(60_000); // longer than any watch goes on
    expect(followed.phase(widgetKind)).toBe("live");
    await world.resource(widgets, "a").delete({ namespace: "default", name: "one" }, {}, signal);
    await become("+ Widget a/one a:one", "= Widget", "- Widget a/one a:one");
  });

  it("are found in a plane that alone serves them", async () => {
    await define("a");
    await world.eventually(
      async () => void (await world.resource(widgets, "a").list({ namespace: "default" }, signal)),
    );
    await world.create(widgets, widget("one"), "a");
    elsewhere = ["a"];
    followed.want([widgetKind]);
    await become("+ Widget a/one a:one", "= Widget");
  });

  it("are kept anew when that is asked for", async () => {
    await world.create(configMaps, configMap("both", { v: "1", w: "2" }));
    await world.create(configMaps, configMap("former", { v: "1" }));
    await world.create(configMaps, configMap("latter", { w: "2" }));
    followed.want([configMapKind]);
    await become("+ ConfigMap root/both root:1", "+ ConfigMap root/former root:1", "= ConfigMap");
    told = [];
    field = "w";
    followed.rekeep(configMapKind);
    await become(
      "~ ConfigMap root/both root:1 root:2",
      "+ ConfigMap root/latter root:2",
      "- ConfigMap root/former root:1",
      "= ConfigMap",
    );
  });

  it("do not stop each other", async () => {
    world.meddle = (call) => {
      if (call.path === "/apis") throw new Error("no way there");
    };
    await world.create(configMaps, configMap("bad", { v: "bad" }));
    await world.create(configMaps, configMap("one", only));
    followed.want([widgetKind, configMapKind]);
    await become("+ ConfigMap root/one root:1", "= ConfigMap");
    expect(followed.phase(widgetKind)).toBe("troubled");
    expect(world.reported.join("\n")).toContain("test Widget.client.example.com: no way there");
    expect(world.reported.join("\n")).toContain("test ConfigMap: no value");
  });

  it("that nobody wants any more are not told of", async () => {
    followed.want([configMapKind]);
    await become("= ConfigMap");
    followed.want([]);
    await world.create(configMaps, configMap("one", only));
    await world.pass(5_000);
    expect(told).toEqual(["= ConfigMap"]);
    expect(followed.phase(configMapKind)).toBe("starting");
    followed.want([configMapKind]);
    await become("= ConfigMap", "+ ConfigMap root/one root:1", "= ConfigMap");
  });

  it("leave no timer behind when nobody follows them", async () => {
    followed.want([configMapKind, widgetKind]);
    await become("= ConfigMap", "= Widget").catch(() => become("= Widget", "= ConfigMap"));
    const before = world.clock.waiting;
    await followed.stop();
    expect(world.clock.waiting).toBeLessThan(before);
    await world.create(configMaps, configMap("one", only));
    await world.pass(60_000);
    expect(told).toHaveLength(2);
  });
});
