// Claims and the objects that they are for: stored late, or not at all, or another under the same name.
import type { Call } from "@milo-quota/kubernetes/client/transport/transport.ts";
import type { WorldStep } from "../run-world.ts";
import { change, create, post, remove } from "./people.ts";
import { configMap, grant, labelPolicy, registration } from "./quota-objects.ts";
import { type Scenario, type Stage, startWriter, step } from "./scenario.ts";
import { type Landing, ScriptedDoor } from "./scripted-door.ts";

const sizes = "example.com/sizes";
const plane = "project-a";

function beginning({ world, book }: Stage, landings: readonly Landing[] = []): readonly WorldStep[] {
  return [
    step(0, "ten of what ConfigMaps take are granted", () => {
      new ScriptedDoor(world, book).plan("x", ...landings);
      create(world, registration(sizes));
      create(world, grant("sizes", sizes, 10));
      create(world, labelPolicy(sizes, "size"));
    }),
    startWriter(100, "a"),
  ];
}

const posts = (atMs: number, { world }: Stage, where = "root"): WorldStep =>
  step(atMs, `somebody creates x in ${where}`, () => post(world, configMap("x", 1), where));

const deletes = (atMs: number, { world }: Stage): WorldStep =>
  step(atMs, "somebody deletes x", () => remove(world, { kind: "ConfigMap", namespace: "default", name: "x" }));

const deletesClaim = ({ method, path }: Call): boolean => method === "DELETE" && path.includes("/resourceclaims/");

const storedLate: Scenario = {
  name: "an object is stored long after it was let in, and seen even later, by a clock that is ahead",
  lengthMs: 90_000,
  steps: (stage) => [
    ...beginning(stage, [20_000]),
    step(1_000, "the clock of a is a minute ahead", (world) => world.machine("a").setClock(1, 60_000)),
    step(1_500, "a hears nothing of ConfigMaps", ({ weather }) =>
      weather.stall({ machine: "a", kind: "configmaps" }, 70_000),
    ),
    posts(3_000, stage),
  ],
};

const createdAgain: Scenario = {
  name: "somebody joins a claim that nobody used, while it is being deleted",
  lengthMs: 70_000,
  steps: (stage) => {
    const { world } = stage;
    let open = (): void => undefined;
    return [
      ...beginning(stage, ["refused by another", 6_000]),
      posts(3_000, stage),
      step(4_000, "what a deletes is deleted much later", () => {
        const gate = world.network.gate("a", deletesClaim);
        open = () => gate.open();
      }),
      posts(50_000, stage),
      step(53_000, "the deletion arrives", () => open()),
    ];
  },
};

const secondCandidate: Scenario = {
  name: "an object is deleted while another one under its name is on its way",
  lengthMs: 70_000,
  steps: (stage) => [
    ...beginning(stage, [500, 12_000]),
    posts(3_000, stage),
    posts(3_000, stage),
    deletes(8_000, stage),
  ],
};

const otherPlane: Scenario = {
  name: "the claim of an object is in another plane",
  lengthMs: 10_000,
  steps: (stage) => [...beginning(stage), posts(3_000, stage, plane)],
};

const sameName: Scenario = {
  name: "objects of the same name in two planes are found that nobody asked about",
  lengthMs: 10_000,
  steps: (stage) => [
    ...beginning(stage),
    step(3_000, "somebody creates x in two planes, past the door", () => {
      for (const where of [plane, "project-b"]) post(stage.world, configMap("x", 1, { bypass: "yes" }), where);
    }),
  ],
};

const shrunk: Scenario = {
  name: "an object comes to need less",
  lengthMs: 12_000,
  steps: (stage) => [
    ...beginning(stage),
    step(3_000, "somebody creates x, of size 3", () => post(stage.world, configMap("x", 3))),
    step(6_000, "x is made smaller", () => {
      for (const { key, object } of stage.world.truth.list({ resource: "configmaps" })) {
        if (key.name === "x") stage.book.edited(object.metadata.uid ?? "");
      }
      const where = { kind: "ConfigMap", namespace: "default", name: "x" };
      change(stage.world, where, { metadata: { labels: { size: "1" } } });
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
