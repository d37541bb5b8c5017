import type { RestMapper } from "@milo-quota/kubernetes/client/discovery/rest-mapper.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { KindInformerPhase } from "@milo-quota/quota/controllers/kind-informer.ts";
import { KindInformers } from "@milo-quota/quota/controllers/kind-informers.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { definitions, widgetDefinition, widgets } from "../../api-client/kinds.ts";
import type { QuotaWorld } from "../grants/quota-world.ts";
import { configMap, configMaps, signal, startPolicyWorld } from "./policy-world.ts";

const configMapKind = { apiGroup: "", kind: "ConfigMap" };
const widgetKind = { apiGroup: "client.example.com", kind: "Widget" };
const definition = { name: widgetDefinition.metadata.name };

let world: QuotaWorld;
let restMapper: RestMapper;
let events: string[];
/** The data field that is cached of an object. */
let field: string;
let elsewhere: readonly string[];
let informers: KindInformers<string>;

beforeEach(async () => {
  ({ world, restMapper } = await startPolicyWorld(["root", "a"]));
  events = [];
  field = "v";
  elsewhere = [];
  informers = world.run(createInformers());
});

afterEach(() => world.stop());

function createInformers(): KindInformers<string> {
  return new KindInformers<string>({
    runtime: world.runtime,
    restMapper,
    owner: "test",
    planesOf: () => elsewhere,
    keep: (object, plane, { kind }) => {
      const { name } = object["metadata"] as { name: string };
      const value = (object["data"] as JsonObject | undefined)?.[field] ?? (kind === "Widget" ? name : undefined);
      if (value === "bad") throw new Error("no value");
      return value === undefined ? undefined : `${plane}:${String(value)}`;
    },
    handler: {
      onAdd: ({ kind }, { plane, name }, now) => events.push(`+ ${kind} ${plane}/${name} ${now}`),
      onUpdate: ({ kind }, { plane, name }, before, now) => events.push(`~ ${kind} ${plane}/${name} ${before} ${now}`),
      onDelete: ({ kind }, { plane, name }, before) => events.push(`- ${kind} ${plane}/${name} ${before}`),
      onSynced: ({ kind }) => events.push(`= ${kind}`),
    },
  });
}

const become = (...expected: readonly string[]) => world.eventually(() => expect(events).toEqual(expected));
/** A watch may go on after its kind has gone, until its time is over, which is ten minutes at most. */
const turnsOfWatch = 6_500;
const reach = (phase: KindInformerPhase) =>
  world.eventually(() => expect(informers.phase(widgetKind)).toBe(phase), turnsOfWatch);
const widget = (name: string) => ({
  apiVersion: "client.example.com/v1",
  kind: "Widget",
  metadata: { name, namespace: "default" },
});
const define = (plane = "root") => world.create(definitions, widgetDefinition, plane);
const undefine = () => world.delete(definitions, definition.name);
const isServed = () =>
  world.eventually(async () => void (await world.resource(widgets).list({ namespace: "default" }, signal)));
const only = { v: "1" };

describe("kind informers", () => {
  it("report existing objects in all control planes, and every change", async () => {
    await world.create(configMaps, configMap("one", only));
    informers.setKinds([configMapKind]);
    await become("+ ConfigMap root/one root:1", "= ConfigMap");
    expect(informers.phase(configMapKind)).toBe("live");
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
    expect(informers.get(configMapKind, { plane: "a", namespace: "default", name: "two" })).toBe("a:2");
    expect([...informers.entries(configMapKind)].map(([, kept]) => kept)).toEqual(["a:2"]);
  });

  it("start when the kind is served", async () => {
    informers.setKinds([widgetKind]);
    expect(informers.phase(widgetKind)).toBe("starting");
    await become("= Widget");
    expect(informers.phase(widgetKind)).toBe("unserved");
    await define();
    await isServed();
    await world.create(widgets, widget("one"));
    await become("= Widget", "+ Widget root/one root:one", "= Widget");
    expect(informers.phase(widgetKind)).toBe("live");
  });

  it("remove the objects of a deleted definition, and report those of a new one", async () => {
    await define();
    await isServed();
    await world.create(widgets, widget("one"));
    informers.setKinds([widgetKind]);
    await become("+ Widget root/one root:one", "= Widget");
    await undefine();
    await reach("unserved");
    expect(events).toEqual(["+ Widget root/one root:one", "= Widget", "- Widget root/one root:one", "= Widget"]);
    await define();
    await isServed();
    await world.create(widgets, widget("two"));
    await world.eventually(() => expect(events.slice(4)).toEqual(["+ Widget root/two root:two", "= Widget"]));
  });

  it("keep running while a control plane with objects still serves the kind", async () => {
    await define();
    await define("a");
    await isServed();
    await world.eventually(
      async () => void (await world.resource(widgets, "a").list({ namespace: "default" }, signal)),
    );
    await world.create(widgets, widget("one"), "a");
    informers.setKinds([widgetKind]);
    await become("+ Widget a/one a:one", "= Widget");
    await undefine();
    for (let minute = 0; minute < 12; minute += 1) await world.pass(60_000); // longer than any watch
    expect(informers.phase(widgetKind)).toBe("live");
    await world.resource(widgets, "a").delete({ namespace: "default", name: "one" }, {}, signal);
    await become("+ Widget a/one a:one", "= Widget", "- Widget a/one a:one");
  });

  it("find a kind that only one control plane serves", async () => {
    await define("a");
    await world.eventually(
      async () => void (await world.resource(widgets, "a").list({ namespace: "default" }, signal)),
    );
    await world.create(widgets, widget("one"), "a");
    elsewhere = ["a"];
    informers.setKinds([widgetKind]);
    await become("+ Widget a/one a:one", "= Widget");
  });

  it("apply a new filter to all objects", async () => {
    await world.create(configMaps, configMap("both", { v: "1", w: "2" }));
    await world.create(configMaps, configMap("former", { v: "1" }));
    await world.create(configMaps, configMap("latter", { w: "2" }));
    informers.setKinds([configMapKind]);
    await become("+ ConfigMap root/both root:1", "+ ConfigMap root/former root:1", "= ConfigMap");
    events = [];
    field = "w";
    informers.refilter(configMapKind);
    await become(
      "~ ConfigMap root/both root:1 root:2",
      "+ ConfigMap root/latter root:2",
      "- ConfigMap root/former root:1",
      "= ConfigMap",
    );
  });

  it("are independent of each other", async () => {
    world.intercept = (call) => {
      if (call.path === "/apis") throw new Error("no way there");
    };
    await world.create(configMaps, configMap("bad", { v: "bad" }));
    await world.create(configMaps, configMap("one", only));
    informers.setKinds([widgetKind, configMapKind]);
    await become("+ ConfigMap root/one root:1", "= ConfigMap");
    expect(informers.phase(widgetKind)).toBe("troubled");
    expect(world.reported.join("\n")).toContain("test Widget.client.example.com: no way there");
    expect(world.reported.join("\n")).toContain("test ConfigMap: no value");
  });

  it("report nothing for a kind that was dropped", async () => {
    informers.setKinds([configMapKind]);
    await become("= ConfigMap");
    informers.setKinds([]);
    await world.create(configMaps, configMap("one", only));
    await world.pass(5_000);
    expect(events).toEqual(["= ConfigMap"]);
    expect(informers.phase(configMapKind)).toBe("starting");
    informers.setKinds([configMapKind]);
    await become("= ConfigMap", "+ ConfigMap root/one root:1", "= ConfigMap");
  });

  it("leave no timer behind when they are stopped", async () => {
    informers.setKinds([configMapKind, widgetKind]);
    await become("= ConfigMap", "= Widget").catch(() => become("= Widget", "= ConfigMap"));
    const before = world.clock.waiting;
    await informers.stop();
    expect(world.clock.waiting).toBeLessThan(before);
    await world.create(configMaps, configMap("one", only));
    await world.pass(60_000);
    expect(events).toHaveLength(2);
  });
});
