import { configMaps, webhookConfigurations } from "./clients.ts";
import { create, createAtOnce, destroy, letGo, relabel, replace, type WantedObject } from "./creator.ts";
import { bypassLabel, configMapOf, webhookConfigurationOf } from "./manifests.ts";
import { type ActionDraw, on, type Stage } from "./stage.ts";

const clients = ["client-1", "client-2"] as const;
const names = ["x", "y", "z", "v", "w"] as const;
const finalizer = "example.com/patience";

/** An object under one of few names, in one of all planes. */
function drawObject({ tiny, random }: Stage, finalizers: readonly string[] = [], labels: object = {}): WantedObject {
  const projects = tiny.consumers.filter(({ kind }) => kind === "Project").map(({ plane }) => plane);
  const name = random.pick(names);
  if (projects.length > 0 && random.chance(0.3))
    return { plane: random.pick(projects), type: webhookConfigurations, object: webhookConfigurationOf(name) };
  const organizations = tiny.consumers.filter(({ kind }) => kind === "Organization");
  const given = {
    org: random.pick(organizations).name,
    place: random.pick(["here", "there"]),
    ...(random.chance(0.4) ? { cores: String(random.between(1, 3)) } : {}),
    ...labels,
  };
  const plane = random.pick(["root", "root", ...projects]);
  return { plane, type: configMaps, object: configMapOf(name, given, finalizers) };
}

function textOf({ plane, object }: WantedObject): string {
  const labels = Object.values(object.metadata.labels ?? {}).join(" ");
  return `${plane}/${object.kind} ${object.metadata.name} (${labels})`;
}

export const createObject: ActionDraw = (stage) => {
  const { random } = stage;
  const wanted = drawObject(stage, random.chance(0.1) ? [finalizer] : []);
  const tries = random.pick([1, 3]);
  return on(random.pick(clients), `creates ${textOf(wanted)}, in ${tries} tries`, (host) =>
    create(host, wanted, tries),
  );
};

export const createSixTimes: ActionDraw = (stage) => {
  const wanted = drawObject(stage);
  return on(stage.random.pick(clients), `creates ${textOf(wanted)} six times at once`, (host) =>
    createAtOnce(host, wanted, 6),
  );
};

/** Where the door is not asked, the object is counted all the same, later. */
export const bypass: ActionDraw = (stage) => {
  const wanted = drawObject(stage, [], { [bypassLabel]: "yes" });
  return on(stage.random.pick(clients), `creates ${textOf(wanted)} past the door`, (host) => create(host, wanted, 2));
};

export const destroyObject: ActionDraw = (stage) => {
  const wanted = drawObject(stage);
  return on(stage.random.pick(clients), `deletes ${textOf(wanted)}`, (host) => destroy(host, wanted));
};

export const letObjectGo: ActionDraw = (stage) => {
  const wanted = drawObject(stage);
  return on(stage.random.pick(clients), `lets ${textOf(wanted)} go`, (host) => letGo(host, wanted));
};

export const replaceObject: ActionDraw = (stage) => {
  const wanted = drawObject(stage);
  return on(stage.random.pick(clients), `replaces ${textOf(wanted)}`, (host) => replace(host, wanted));
};

export const unlabelObject: ActionDraw = (stage) => {
  const wanted = drawObject(stage);
  return on(stage.random.pick(clients), `takes the labels off ${textOf(wanted)}`, (host) =>
    relabel(host, wanted, null, stage.book),
  );
};

/** It needs more, or less, or is somewhere else by now. */
export const resizeObject: ActionDraw = (stage) => {
  const { random } = stage;
  const wanted = drawObject(stage);
  const labels = { cores: String(random.between(1, 4)), ...(random.chance(0.2) ? { place: "there" } : {}) };
  return on(random.pick(clients), `makes ${textOf(wanted)} need ${Object.values(labels).join(" ")}`, (host) =>
    relabel(host, wanted, labels, stage.book),
  );
};
