// Requests that wait in admission for the decision of a claim.
import type { WorldStep } from "../run-world.ts";
import { create, createOnce } from "./client-actions.ts";
import { configMap, grant, labelPolicy, registration } from "./quota-objects.ts";
import { expectStored, type Scenario, type ScenarioContext, startWriter, step } from "./scenario.ts";
import { machineName, ScriptedAdmission, type StoreOutcome } from "./scripted-admission.ts";

const [sizes, weights] = ["example.com/sizes", "example.com/weights"];

interface SetupOptions {
  /** Granted amount of sizes. Nothing is granted of weights. */
  readonly granted: number;
  /** Outcomes of the admitted creates of x. */
  readonly outcomes?: readonly StoreOutcome[];
}

function setupSteps(
  { world, history }: ScenarioContext,
  { granted, outcomes = [] }: SetupOptions,
): readonly WorldStep[] {
  return [
    step(0, `operator grants ${granted} sizes and no weights`, () => {
      new ScriptedAdmission(world, history).plan("x", ...outcomes);
      for (const type of [sizes, weights]) create(world, registration(type));
      create(world, grant("sizes", sizes, granted));
      create(world, labelPolicy(sizes, "size"));
      create(world, labelPolicy(weights, "weight"));
    }),
    startWriter(100, "a"),
  ];
}

/** The claim stream of admission stalls for some time, and then its watch expires: events of that time are lost. */
function loseClaimEvents(fromMs: number, forMs: number): readonly WorldStep[] {
  const claims = { machine: machineName, kind: "resourceclaims" };
  return [
    step(fromMs, "the claim stream of admission stalls", ({ conditions }) => conditions.stall(claims, forMs * 2)),
    step(fromMs + forMs, "the claim watch of admission expires", (world) => {
      world.conditions.add({ ...claims, fate: "expired", probability: 1 }, 300);
      world.network.cut(world.machine(machineName));
    }),
  ];
}

const posts = (
  atMs: number,
  { world }: ScenarioContext,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): WorldStep => step(atMs, `a client creates ${name}`, () => createOnce(world, configMap(name, 1, labels)));

const missedDecision: Scenario = {
  name: "a claim is decided while the stream of admission stalls, and the watch history expires",
  lengthMs: 20_000,
  steps: (context) => [
    ...setupSteps(context, { granted: 2 }),
    posts(3_000, context, "x"),
    ...loseClaimEvents(4_000, 1_000),
    posts(4_100, context, "y"),
    expectStored(10_000, "y"),
  ],
};

const anotherClaim: Scenario = {
  name: "a claim is denied and created again for another object of the name while the stream of admission stalls",
  lengthMs: 30_000,
  steps: (context) => [
    ...setupSteps(context, { granted: 0, outcomes: [0, 5_000] }),
    posts(3_000, context, "y"),
    ...loseClaimEvents(4_000, 3_000),
    posts(4_100, context, "x"),
    step(5_000, "operator grants one", () => create(context.world, grant("one-more", sizes, 1))),
    posts(6_000, context, "x"),
    expectStored(20_000, "x"),
  ],
};

const rejectedByOne: Scenario = {
  name: "an object is rejected for one of its two claims",
  lengthMs: 20_000,
  steps: (context) => [
    ...setupSteps(context, { granted: 1 }),
    posts(3_000, context, "x", { weight: "1" }),
    posts(5_000, context, "y"),
    expectStored(7_000, "y"),
  ],
};

export const admissionWaits: readonly Scenario[] = [missedDecision, anotherClaim, rejectedByOne];
