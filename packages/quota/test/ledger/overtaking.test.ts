// One writer overtakes another at the worst moment. Random runs find these too rarely, so that they are scripted.

import { describe, expect, it } from "vitest";
import type { Amount } from "../../src/core/resources/fields/amount.ts";
import { ModelStore } from "./model-store.ts";
import { type Call, ModelWriter, type Mutation, responseLost } from "./model-writer.ts";

const types = ["cpu", "memory"];

/** A writer that is driven call by call. */
class Driven {
  readonly #steps: Generator<Call, never, unknown>;
  readonly #store: ModelStore;
  #call: Call;

  constructor(store: ModelStore, name: string, mutation: Mutation) {
    this.#store = store;
    this.#steps = new ModelWriter(name, types, mutation).run();
    this.#call = this.#steps.next().value;
  }

  /** Executes the call in flight, and runs the writer to its next call. */
  step(): void {
    this.#call = this.#steps.next(this.#call(this.#store)).value;
  }

  steps(count: number): void {
    for (let step = 0; step < count; step += 1) this.step();
  }

  /** Delays the call in flight: the writer considers it lost and continues, and it is executed later. */
  holdUp(): () => void {
    const call = this.#call;
    this.#call = this.#steps.next(responseLost).value;
    return () => void call(this.#store);
  }

  until(holds: () => boolean): void {
    for (let step = 0; step < 200; step += 1) {
      if (holds()) return;
      this.step();
    }
    throw new Error("the expected state was never reached");
  }
}

function setsOn(store: ModelStore, type: string): string[] {
  return store.bucket(type).content.reservations.map(({ attempt }) => attempt);
}

/** Both buckets exist, and one open claim requests from both. */
function storeWithClaim(): ModelStore {
  const store = new ModelStore();
  for (const type of types) store.setPools(type, [{ requirements: [], amount: 10n as Amount }]);
  new Driven(store, "earlier", "none").until(() => types.every((type) => store.bucket(type).version !== undefined));
  const parts = types.map((resourceType) => ({ resourceType, dimensionKey: "", amount: 1n as Amount }));
  store.createClaim({ claim: { uid: "c", namespace: "n", name: "c" }, parts, forced: false });
  return store;
}

/** The first writer has reserved in one bucket, and its swap of the other is delayed while the second writer recovers. */
function overtakenInTheMiddle(mutation: Mutation): void {
  const store = storeWithClaim();
  const first = new Driven(store, "first", mutation);
  first.until(() => setsOn(store, "cpu").includes("first-1"));
  const second = new Driven(store, "second", mutation);
  second.until(() => !setsOn(store, "cpu").includes("first-1"));
  for (let step = 0; step < 40; step += 1) first.step();
}

/** The second writer has fenced both buckets; a third drops the attempt, starts its own, and is delayed in the middle. */
function fencedBeforeTheLastAttempt(mutation: Mutation): void {
  const store = storeWithClaim();
  const first = new Driven(store, "first", mutation);
  first.until(() => setsOn(store, "cpu").includes("first-1"));
  const second = new Driven(store, "second", mutation);
  second.until(() => types.every((type) => store.bucket(type).writer.startsWith("second")));
  const third = new Driven(store, "third", mutation);
  third.until(() => setsOn(store, "cpu").includes("third-1"));
  second.until(() => !setsOn(store, "cpu").includes("third-1"));
  for (let step = 0; step < 40; step += 1) third.step();
}

/**
 * The second writer drops the attempt of the first, and one write of its own attempt is delayed. It arrives after some of its
 * further steps, and a third writer acts on it after some of its own.
 */
function overtakenByItself(mutation: Mutation, secondSteps: number, thirdSteps: number): void {
  const store = storeWithClaim();
  const first = new Driven(store, "first", mutation);
  first.until(() => setsOn(store, "cpu").includes("first-1"));
  const second = new Driven(store, "second", mutation);
  second.until(() => setsOn(store, "cpu").includes("second-1"));
  const arrives = second.holdUp();
  second.steps(secondSteps);
  arrives();
  const third = new Driven(store, "third", mutation);
  third.steps(thirdSteps);
  second.step();
  third.steps(40);
  second.steps(40);
}

function everyMoment(play: (secondSteps: number, thirdSteps: number) => void): void {
  for (let second = 0; second < 25; second += 1) for (let third = 0; third < 15; third += 1) play(second, third);
}

describe("a writer that is overtaken", () => {
  it("in the middle of an attempt cannot complete it", () => {
    expect(() => overtakenInTheMiddle("none")).not.toThrow();
    expect(() => overtakenInTheMiddle("fence one bucket only")).toThrow("I3: c is granted without a complete attempt");
    expect(() => overtakenInTheMiddle("drop without a fence")).toThrow("I3: c is granted without a complete attempt");
  });

  it("by one that fenced the buckets before the attempt began does not count as fenced", () => {
    expect(() => fencedBeforeTheLastAttempt("none")).not.toThrow();
    expect(() => fencedBeforeTheLastAttempt("keep a fence that another writer has broken")).toThrow(
      "I3: c is granted without a complete attempt",
    );
  });

  it("by its own delayed write does not consider its new attempt fenced because the previous one was", () => {
    expect(() => everyMoment((second, third) => overtakenByItself("none", second, third))).not.toThrow();
    expect(() =>
      everyMoment((second, third) => overtakenByItself("keep the fences of what was dropped", second, third)),
    ).toThrow("I3: c is granted without a complete attempt");
  });
});
