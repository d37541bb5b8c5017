// Those who wait at the door for a claim: what they are told, and what they leave behind.
import type { WorldStep } from "../run-world.ts";
import { create, post } from "./people.ts";
import { configMap, grant, labelPolicy, registration } from "./quota-objects.ts";
import { isStored, type Scenario, type Stage, startWriter, step } from "./scenario.ts";
import { type Landing, ScriptedDoor } from "./scripted-door.ts";

const [sizes, weights] = ["example.com/sizes", "example.com/weights"];

interface Beginning {
  /** Of sizes. Of weights, none are. */
  readonly granted: number;
  /** What becomes of objects of the name x that are let in. */
  readonly landings?: readonly Landing[];
}

function beginning({ world, book }: Stage, { granted, landings = [] }: Beginning): readonly WorldStep[] {
  return [
    step(0, `ConfigMaps have sizes, of which ${granted} are granted, and weights, of which none is`, () => {
      new ScriptedDoor(world, book).plan("x", ...landings);
      for (const type of [sizes, weights]) create(world, registration(type));
      create(world, grant("sizes", sizes, granted));
      create(world, labelPolicy(sizes, "size"));
      create(world, labelPolicy(weights, "weight"));
    }),
    startWriter(100, "a"),
  ];
}

/** From then on the door hears nothing of claims, for as long as that; what happened meanwhile it never hears. */
function deaf(fromMs: number, forMs: number): readonly WorldStep[] {
  const claims = { machine: "door", kind: "resourceclaims" };
  return [
    step(fromMs, "the door hears nothing of claims", ({ weather }) => weather.stall(claims, forMs * 2)),
    step(fromMs + forMs, "what the door has not heard is lost", (world) => {
      world.weather.add({ ...claims, fate: "expired", probability: 1 }, 300);
      world.network.cut(world.machine("door"));
    }),
  ];
}

const posts = (
  atMs: number,
  { world }: Stage,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): WorldStep => step(atMs, `somebody creates ${name}`, () => post(world, configMap(name, 1, labels)));

const missedDecision: Scenario = {
  name: "a claim is decided while the door hears nothing, and history does not reach back to it",
  lengthMs: 20_000,
  steps: (stage) => [
    ...beginning(stage, { granted: 2 }),
    posts(3_000, stage, "x"),
    ...deaf(4_000, 1_000),
    posts(4_100, stage, "y"),
    isStored(10_000, "y"),
  ],
};

const anotherClaim: Scenario = {
  name: "a claim is denied, and made again for another object of the name, while the door hears nothing",
  lengthMs: 30_000,
  steps: (stage) => [
    ...beginning(stage, { granted: 0, landings: [0, 5_000] }),
    posts(3_000, stage, "y"),
    ...deaf(4_000, 3_000),
    posts(4_100, stage, "x"),
    step(5_000, "one is granted", () => create(stage.world, grant("one-more", sizes, 1))),
    posts(6_000, stage, "x"),
    isStored(20_000, "x"),
  ],
};

const refusedByOne: Scenario = {
  name: "an object is refused for one of the two things that it takes",
  lengthMs: 20_000,
  steps: (stage) => [
    ...beginning(stage, { granted: 1 }),
    posts(3_000, stage, "x", { weight: "1" }),
    posts(5_000, stage, "y"),
    isStored(7_000, "y"),
  ],
};

export const waitingDoors: readonly Scenario[] = [missedDecision, anotherClaim, refusedByOne];
