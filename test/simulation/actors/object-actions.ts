import { type ActionDraw, type ActorContext, actionOn } from "./action.ts";
import { configMaps, webhookConfigurations } from "./clients.ts";
import { bypassLabel, configMapOf, webhookConfigurationOf } from "./manifests.ts";
import {
  create,
  createConcurrently,
  deleteByName,
  relabel,
  removeFinalizers,
  replace,
  type TargetObject,
} from "./object-calls.ts";

const clients = ["client-1", "client-2"] as const;
const names = ["x", "y", "z", "v", "w"] as const;
const finalizer = "example.com/test-finalizer";

/** An object in any plane. There are few names, so that actors collide. */
function drawObject(
  { topology, random }: ActorContext,
  finalizers: readonly string[] = [],
  labels: object = {},
): TargetObject {
  const projects = topology.consumers.filter(({ kind }) => kind === "Project").map(({ plane }) => plane);
  const name = random.pick(names);
  if (projects.length > 0 && random.chance(0.3))
    return { plane: random.pick(projects), type: webhookConfigurations, object: webhookConfigurationOf(name) };
  const organizations = topology.consumers.filter(({ kind }) => kind === "Organization");
  const given = {
    org: random.pick(organizations).name,
    place: random.pick(["here", "there"]),
    ...(random.chance(0.4) ? { cores: String(random.between(1, 3)) } : {}),
    ...labels,
  };
  const plane = random.pick(["root", "root", ...projects]);
  return { plane, type: configMaps, object: configMapOf(name, given, finalizers) };
}

function objectText({ plane, object }: TargetObject): string {
  const labels = Object.values(object.metadata.labels ?? {}).join(" ");
  return `${plane}/${object.kind} ${object.metadata.name} (${labels})`;
}

export const createObject: ActionDraw = (context) => {
  const { random } = context;
  const wanted = drawObject(context, random.chance(0.1) ? [finalizer] : []);
  const tries = random.pick([1, 3]);
  return actionOn(random.pick(clients), `creates ${objectText(wanted)}, in ${tries} tries`, (host) =>
    create(host, wanted, tries),
  );
};

export const createSixTimes: ActionDraw = (context) => {
  const wanted = drawObject(context);
  return actionOn(context.random.pick(clients), `creates ${objectText(wanted)} six times concurrently`, (host) =>
    createConcurrently(host, wanted, 6),
  );
};

/** An object that bypasses admission is counted later, by the ownership controller. */
export const createBypassingAdmission: ActionDraw = (context) => {
  const wanted = drawObject(context, [], { [bypassLabel]: "yes" });
  return actionOn(context.random.pick(clients), `creates ${objectText(wanted)} without admission`, (host) =>
    create(host, wanted, 2),
  );
};

export const deleteObject: ActionDraw = (context) => {
  const wanted = drawObject(context);
  return actionOn(context.random.pick(clients), `deletes ${objectText(wanted)}`, (host) => deleteByName(host, wanted));
};

export const finalizeObject: ActionDraw = (context) => {
  const wanted = drawObject(context);
  return actionOn(context.random.pick(clients), `removes the finalizers of ${objectText(wanted)}`, (host) =>
    removeFinalizers(host, wanted),
  );
};

export const replaceObject: ActionDraw = (context) => {
  const wanted = drawObject(context);
  return actionOn(context.random.pick(clients), `replaces ${objectText(wanted)}`, (host) => replace(host, wanted));
};

export const unlabelObject: ActionDraw = (context) => {
  const wanted = drawObject(context);
  return actionOn(context.random.pick(clients), `removes the labels of ${objectText(wanted)}`, (host) =>
    relabel(host, wanted, null, context.history),
  );
};

/** Changes the amount or the place that an object needs. */
export const resizeObject: ActionDraw = (context) => {
  const { random } = context;
  const wanted = drawObject(context);
  const labels = { cores: String(random.between(1, 4)), ...(random.chance(0.2) ? { place: "there" } : {}) };
  return actionOn(
    random.pick(clients),
    `relabels ${objectText(wanted)} to ${Object.values(labels).join(" ")}`,
    (host) => relabel(host, wanted, labels, context.history),
  );
};
