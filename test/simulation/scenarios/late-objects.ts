// Objects that are stored late, not at all, or twice under one name, and their claims.
import type { Call } from "@milo-quota/kubernetes/client/transport/transport.ts";
import type { WorldStep } from "../run-world.ts";
import { change, create, createOnce, remove } from "./client-actions.ts";
import { configMap, grant, labelPolicy, registration } from "./quota-objects.ts";
import { type Scenario, type ScenarioContext, startWriter, step } from "./scenario.ts";
import { ScriptedAdmission, type StoreOutcome } from "./scripted-admission.ts";

const sizes = "example.com/sizes";
const plane = "project-a";

function setupSteps({ world, history }: ScenarioContext, outcomes: readonly StoreOutcome[] = []): readonly WorldStep[] {
  return [
    step(0, "operator grants ten units of what ConfigMaps claim", () => {
      new ScriptedAdmission(world, history).plan("x", ...outcomes);
      create(world, registration(sizes));
      create(world, grant("sizes", sizes, 10));
      create(world, labelPolicy(sizes, "size"));
    }),
    startWriter(100, "a"),
  ];
}

const posts = (atMs: number, { world }: ScenarioContext, where = "root"): WorldStep =>
  step(atMs, `a client creates x in ${where}`, () => createOnce(world, configMap("x", 1), where));

const deletes = (atMs: number, { world }: ScenarioContext): WorldStep =>
  step(atMs, "a client deletes x", () => remove(world, { kind: "ConfigMap", namespace: "default", name: "x" }));

const deletesClaim = ({ method, path }: Call): boolean => method === "DELETE" && path.includes("/resourceclaims/");

const storedLate: Scenario = {
  name: "an object is stored long after admission, and a controller with a fast clock observes it even later",
  lengthMs: 90_000,
  steps: (context) => [
    ...setupSteps(context, [20_000]),
    step(1_000, "the clock of a jumps a minute ahead", (world) => world.machine("a").setClock(1, 60_000)),
    step(1_500, "ConfigMap events for a stall", ({ conditions }) =>
      conditions.stall({ machine: "a", kind: "configmaps" }, 70_000),
    ),
    posts(3_000, context),
  ],
};

const createdAgain: Scenario = {
  name: "an object joins an unused claim while the claim is being deleted",
  lengthMs: 70_000,
  steps: (context) => {
    const { world } = context;
    let open = (): void => undefined;
    return [
      ...setupSteps(context, ["rejected", 6_000]),
      posts(3_000, context),
      step(4_000, "claim deletes of a are delayed", () => {
        const gate = world.network.gate("a", deletesClaim);
        open = () => gate.open();
      }),
      posts(50_000, context),
      step(53_000, "the delete arrives", () => open()),
    ];
  },
};

const secondCandidate: Scenario = {
  name: "an object is deleted while another one of its name is being stored",
  lengthMs: 70_000,
  steps: (context) => [
    ...setupSteps(context, [500, 12_000]),
    posts(3_000, context),
    posts(3_000, context),
    deletes(8_000, context),
  ],
};

const otherPlane: Scenario = {
  name: "an object has its claim in another plane",
  lengthMs: 10_000,
  steps: (context) => [...setupSteps(context), posts(3_000, context, plane)],
};

const sameName: Scenario = {
  name: "objects of the same name in two planes bypass admission",
  lengthMs: 10_000,
  steps: (context) => [
    ...setupSteps(context),
    step(3_000, "a client creates x in two planes without admission", () => {
      for (const where of [plane, "project-b"]) createOnce(context.world, configMap("x", 1, { bypass: "yes" }), where);
    }),
  ],
};

const shrunk: Scenario = {
  name: "an object shrinks",
  lengthMs: 12_000,
  steps: (context) => [
    ...setupSteps(context),
    step(3_000, "a client creates x of size 3", () => createOnce(context.world, configMap("x", 3))),
    step(6_000, "a client reduces the size of x to 1", () => {
      for (const { key, object } of context.world.truth.list({ resource: "configmaps" })) {
        if (key.name === "x") context.history.objectEdited(object.metadata.uid ?? "");
      }
      const where = { kind: "ConfigMap", namespace: "default", name: "x" };
      change(context.world, where, { metadata: { labels: { size: "1" } } });
    }),
  ],
};

export const lateObjects: readonly Scenario[] = [
  storedLate,
  createdAgain,
  secondCandidate,
  otherPlane,
  sameName,
  shrunk,
];
