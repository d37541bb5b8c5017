import { describe, expect, it } from "vitest";
import { layout, planes } from "../world/layout.ts";
import { SeededRandom } from "../world/seeded-random.ts";
import type { StoredChange, World } from "../world/world.ts";
import { AdmissionHistory } from "./admission-history.ts";
import { QuotaChecker } from "./quota-checker.ts";

/** A world that contains only what a test writes. */
function emptyWorld(): { readonly world: World; readonly write: (resource: string) => void } {
  const listeners: ((change: StoredChange) => void)[] = [];
  const world: World = {
    nowMs: 0,
    planes,
    layout,
    truth: { revision: 1, get: () => undefined, list: () => [], onChange: (listener) => listeners.push(listener) },
    random: (name) => new SeededRandom(1, name),
    machine: (name) => expect.fail(`unexpected use of machine ${name}`),
    setAdmission: () => undefined,
    embed: () => undefined,
    later: () => undefined,
    areFaultsOver: true,
    note: () => undefined,
  };
  const write = (resource: string): void => {
    const object = { apiVersion: "v1", kind: "Thing", metadata: { name: "x", uid: resource } };
    const now = { key: { plane: "root", resource, namespace: "", name: "x" }, revision: 2, text: "{}", object };
    for (const listener of listeners) listener({ type: "added", atMs: 0, now, before: undefined } as StoredChange);
  };
  return { world, write };
}

const tolerances = { clockSkewMsMax: 0, policyDelayMsMax: 0 };

describe("QuotaChecker", () => {
  it("accepts an empty world", () => {
    const checker = new QuotaChecker(emptyWorld().world, new AdmissionHistory(), tolerances);
    checker.checkStep();
    checker.checkSettled();
    checker.checkQuiescent();
  });

  it("reports unanswered requests, except those on crashed machines", () => {
    const history = new AdmissionHistory();
    const checker = new QuotaChecker(emptyWorld().world, history, tolerances);
    history.requestStarted({ id: "a", what: "a", isServerAlive: () => false });
    history.requestStarted({ id: "b", what: "b", isServerAlive: () => true });
    history.requestAnswered("b");
    checker.checkSettled();
    history.requestStarted({ id: "c", what: "c", isServerAlive: () => true });
    expect(() => checker.checkSettled()).toThrow(/I11: .* c/);
  });

  it("reports writes other than leases in a settled world", () => {
    const { world, write } = emptyWorld();
    const checker = new QuotaChecker(world, new AdmissionHistory(), tolerances);
    write("configmaps");
    checker.checkSettled();
    write("leases.coordination.k8s.io");
    checker.checkQuiescent();
    write("configmaps");
    expect(() => checker.checkQuiescent()).toThrow(/I12: .*configmaps/);
  });

  it("reports an admission without a stored claim in the step of the response", () => {
    const history = new AdmissionHistory();
    const checker = new QuotaChecker(emptyWorld().world, history, tolerances);
    history.objectAdmitted("t", [{ uid: "c", policy: "p" }], 0);
    expect(() => checker.checkStep()).toThrow(/I5/);
  });
});
