// One writer overtakes another at the worst moment. Chance finds these moments too seldom, so they are played step by step.

import { describe, expect, it } from "vitest";
import type { Amount } from "../../src/core/resources/fields/amount.ts";
import { ModelStore } from "./model-store.ts";
import { answerLost, type Call, ModelWriter, type Mutation } from "./model-writer.ts";

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

  /** Lets the call that is under way happen, and the writer go on to its next. */
  step(): void {
    this.#call = this.#steps.next(this.#call(this.#store)).value;
  }

  steps(count: number): void {
    for (let step = 0; step < count; step += 1) this.step();
  }

  /** The call that is under way takes long: the writer takes it for lost and goes on, and it arrives when it is let. */
  holdUp(): () => void {
    const call = this.#call;
    this.#call = this.#steps.next(answerLost).value;
    return () => void call(this.#store);
  }

  until(holds: () => boolean): void {
    for (let step = 0; step < 200; step += 1) {
      if (holds()) return;
      this.step();
    }
    throw new Error("it never comes to that");
  }
}

function setsOn(store: ModelStore, type: string): string[] {
  return store.bucket(type).content.reservations.map(({ attempt }) => attempt);
}

/** The buckets are there, and one claim waits for something on both. */
function storeWithClaim(): ModelStore {
  const store = new ModelStore();
  for (const type of types) store.setPools(type, [{ requirements: [], amount: 10n as Amount }]);
  new Driven(store, "earlier", "none").until(() => types.every((type) => store.bucket(type).version !== undefined));
  const parts = types.map((resourceType) => ({ resourceType, dimensionKey: "", amount: 1n as Amount }));
  store.createClaim({ claim: { uid: "c", namespace: "n", name: "c" }, parts, standing: "waiting" });
  return store;
}

/** The first writer has reserved on one bucket, and its swap of the other is held up, while the second cleans up after it. */
function overtakenInTheMiddle(mutation: Mutation): void {
  const store = storeWithClaim();
  const first = new Driven(store, "first", mutation);
  first.until(() => setsOn(store, "cpu").includes("first-1"));
  const second = new Driven(store, "second", mutation);
  second.until(() => !setsOn(store, "cpu").includes("first-1"));
  for (let step = 0; step < 40; step += 1) first.step();
}

/** The second writer has fenced both buckets; a third drops the attempt, makes one of its own, and is held up in the middle. */
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
 * The second writer gives up what the first left behind, and half of its own attempt is held up. That arrives after some of
 * its further steps, and a third writer acts on it after some of its own.
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
  it("in the middle of an attempt cannot complete it any more", () => {
    expect(() => overtakenInTheMiddle("none")).not.toThrow();
    expect(() => overtakenInTheMiddle("fence one bucket only")).toThrow("I3: c is granted without a complete attempt");
    expect(() => overtakenInTheMiddle("drop without a fence")).toThrow("I3: c is granted without a complete attempt");
  });

  it("by one that had fenced the buckets before its attempt began is not taken for fenced", () => {
    expect(() => fencedBeforeTheLastAttempt("none")).not.toThrow();
    expect(() => fencedBeforeTheLastAttempt("keep a fence that somebody else has broken")).toThrow(
      "I3: c is granted without a complete attempt",
    );
  });

  it("by what it sent itself does not take its new attempt for fenced, because the one before was", () => {
    expect(() => everyMoment((second, third) => overtakenByItself("none", second, third))).not.toThrow();
    expect(() =>
      everyMoment((second, third) => overtakenByItself("keep the fences of what was dropped", second, third)),
    ).toThrow("I3: c is granted without a complete attempt");
  });
});
