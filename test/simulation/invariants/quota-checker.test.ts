import { describe, expect, it } from "vitest";
import { layout, planes } from "../world/layout.ts";
import { SeededRandom } from "../world/seeded-random.ts";
import type { TrueChange, World } from "../world/world.ts";
import { AdmissionBook } from "./admission-book.ts";
import { QuotaChecker } from "./quota-checker.ts";

/** A world in which nothing is but what a test writes. */
function emptyWorld(): { readonly world: World; readonly write: (resource: string) => void } {
  const listeners: ((change: TrueChange) => void)[] = [];
  const world: World = {
    nowMs: 0,
    planes,
    layout,
    truth: { revision: 1, get: () => undefined, list: () => [], onChange: (listener) => listeners.push(listener) },
    random: (name) => new SeededRandom(1, name),
    machine: (name) => expect.fail(`nobody needs ${name}`),
    guard: () => undefined,
    lodge: () => undefined,
    later: () => undefined,
    isCalm: true,
    note: () => undefined,
  };
  const write = (resource: string): void => {
    const object = { apiVersion: "v1", kind: "Thing", metadata: { name: "x", uid: resource } };
    const now = { key: { plane: "root", resource, namespace: "", name: "x" }, revision: 2, text: "{}", object };
    for (const listener of listeners) listener({ type: "added", atMs: 0, now, before: undefined } as TrueChange);
  };
  return { world, write };
}

const tolerances = { clocksDifferMs: 0, unsureMs: 0 };

describe("the judge of a world", () => {
  it("accepts a world in which nothing happens", () => {
    const checker = new QuotaChecker(emptyWorld().world, new AdmissionBook(), tolerances);
    checker.step();
    checker.settled();
    checker.rested();
  });

  it("reports whoever waits for an answer that does not come, unless nobody is there to give it", () => {
    const book = new AdmissionBook();
    const checker = new QuotaChecker(emptyWorld().world, book, tolerances);
    book.asked({ id: "a", what: "a", isAttended: () => false });
    book.asked({ id: "b", what: "b", isAttended: () => true });
    book.answered("b");
    checker.settled();
    book.asked({ id: "c", what: "c", isAttended: () => true });
    expect(() => checker.settled()).toThrow(/I11: .* c/);
  });

  it("reports writes in a world at rest, but for leases", () => {
    const { world, write } = emptyWorld();
    const checker = new QuotaChecker(world, new AdmissionBook(), tolerances);
    write("configmaps");
    checker.settled();
    write("leases.coordination.k8s.io");
    checker.rested();
    write("configmaps");
    expect(() => checker.rested()).toThrow(/I12: .*configmaps/);
  });

  it("reports an answer that nothing stands behind, in the step in which it is given", () => {
    const book = new AdmissionBook();
    const checker = new QuotaChecker(emptyWorld().world, book, tolerances);
    book.allowed("t", [{ uid: "c", policy: "p" }], 0);
    expect(() => checker.step()).toThrow(/I5/);
  });
});
