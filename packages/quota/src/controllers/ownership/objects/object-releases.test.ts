import { describe, expect, it } from "vitest";
import type { ClaimPart } from "../../../core/ledger/claim-knowledge.ts";
import { amountOf } from "../../../core/resources/fields/amount.ts";
import { parseResourceClaim } from "../../../core/resources/resource-claim.ts";
import type { AutomaticClaim, ClaimRecord } from "../../../views/claim-record.ts";
import type { ClaimEntry } from "../claims/claim-register.ts";
import { ObjectReleases, type StoredClaims } from "./object-releases.ts";

const consumer = { apiGroup: "", kind: "Namespace", namespace: "", name: "default" };
const address = {
  kind: { apiGroup: "", kind: "ConfigMap" },
  place: { plane: "root", namespace: "default", name: "a" },
};
const part = (amount: number): ClaimPart => ({ resourceType: "maps", dimensionKey: "", amount: amountOf(amount) });

interface Given extends Partial<Pick<AutomaticClaim, "candidates" | "bound" | "owners" | "policy">> {
  readonly state?: ClaimRecord["state"];
  readonly deleting?: boolean;
  readonly amount?: number;
  readonly manual?: boolean;
}

function entry(uid: string, given: Given = {}): ClaimEntry {
  const { state = "granted", deleting = false, amount = 2, candidates = ["a"], owners = [], policy = "maps" } = given;
  const bound = "bound" in given ? given.bound : "a";
  const automatic = { policy, resourcePlane: "", resource: { ...consumer, name: "a" }, candidates, bound, owners };
  const record: ClaimRecord = {
    uid,
    version: "7",
    consumer,
    state,
    deleting,
    parts: state === "granted" ? [part(amount)] : [],
    open: undefined,
    automatic: given.manual === true ? undefined : automatic,
  };
  return [{ plane: "root", namespace: "default", name: uid }, record];
}

/** Nothing has happened since the view was told. */
const asSeen: StoredClaims = { versionAt: () => "7", at: () => undefined };

const releases = (...entries: readonly ClaimEntry[]) => new ObjectReleases({ of: () => entries });

describe("the claims that go with an object", () => {
  const cases: Readonly<Record<string, readonly [given: Given, goes: boolean]>> = {
    "one that is granted and bound to it": [{}, true],
    "one that is deleted already, and kept for it": [{ deleting: true }, true],
    "one that lists it several times": [{ candidates: ["a", "a"] }, true],
    "one that it owns, and that is for nobody else": [{ bound: undefined, owners: ["a"] }, true],
    "one that lists others as well": [{ candidates: ["a", "b"] }, false],
    "one that is bound to another": [{ bound: "b", candidates: ["b"] }, false],
    "one that is not bound to anything": [{ bound: undefined }, false],
    "one that waits to be decided": [{ state: "pending" }, false],
    "one that was denied": [{ state: "denied" }, false],
    "one that was made by hand": [{ manual: true }, false],
  };
  for (const [which, [given, goes]] of Object.entries(cases)) {
    it(`are ${goes ? "" : "not "}${which}`, () => {
      const found = releases(entry("c", given)).onRemoval(address, "a", asSeen);
      expect(found.map(({ uid, left }) => [uid, left])).toEqual(goes ? [["c", undefined]] : []);
    });
  }
});

describe("what claims give back when an object needs less", () => {
  const needed = (amount: number) => ({ policy: "maps", needed: { consumer, parts: [part(amount)] } });
  const left = (
    entries: readonly ClaimEntry[],
    need: ReturnType<typeof needed> | { policy: string; needed: undefined },
  ) =>
    releases(...entries)
      .onChange(address, "a", [need], asSeen)
      .map((each) => [each.uid, each.left?.map(({ amount }) => Number(amount))]);

  it("is the rest of one, or all of others", () => {
    expect(left([entry("c", { amount: 5 })], needed(2))).toEqual([["c", [2]]]);
    expect(left([entry("c", { amount: 5 }), entry("d", { amount: 3 })], needed(5))).toEqual([["d", undefined]]);
    expect(left([entry("c", { amount: 5 }), entry("d", { amount: 3 })], { policy: "maps", needed: undefined })).toEqual(
      [
        ["c", undefined],
        ["d", undefined],
      ],
    );
  });

  it("is nothing when all of it is needed", () => {
    expect(left([entry("c", { amount: 2 })], needed(2))).toEqual([]);
    expect(left([entry("c", { amount: 2 })], needed(3))).toEqual([]);
  });

  it("is nothing of claims by other policies, and denied ones are no hindrance", () => {
    const others = [entry("other", { policy: "others", amount: 9 }), entry("denied", { state: "denied" })];
    expect(left([entry("c", { amount: 5 }), ...others], needed(2))).toEqual([["c", [2]]]);
  });

  it.each<[string, Given]>([
    ["waits to be decided", { state: "pending" }],
    ["is being deleted", { deleting: true }],
    ["is for others as well", { candidates: ["a", "b"] }],
  ])("is left for later when one of them %s", (_, given) => {
    expect(left([entry("c", { amount: 5 }), entry("d", given)], needed(2))).toEqual([]);
  });
});

describe("while the view is behind", () => {
  const placeOf = (name: string) => ({ plane: "root", namespace: "default", name });

  /** A claim as it is stored, granted to an object. */
  function storedClaim(uid: string, amount: number, object = "a") {
    const meta = "quota.miloapis.com/";
    const at = "2026-01-01T00:00:00Z";
    const claim = parseResourceClaim({
      apiVersion: "quota.miloapis.com/v1alpha1",
      kind: "ResourceClaim",
      metadata: {
        name: uid,
        namespace: "default",
        uid,
        labels: { [`${meta}auto-created`]: "true" },
        annotations: { [`${meta}bound`]: object },
        ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "a", uid: object }],
      },
      spec: {
        consumerRef: { kind: "Namespace", name: "default" },
        resourceRef: { kind: "ConfigMap", namespace: "default", name: "a" },
        requests: [{ resourceType: "maps", amount }],
      },
      status: {
        conditions: [
          { type: "Granted", status: "True", reason: "QuotaAvailable", message: "", lastTransitionTime: at },
        ],
        allocations: [{ resourceType: "maps", status: "Granted", allocatedAmount: amount, lastTransitionTime: at }],
      },
    });
    if (!claim.ok) throw new Error(JSON.stringify(claim));
    return claim.value;
  }

  it("a claim that is gone holds nothing, so that the others keep what is needed", () => {
    const stored: StoredClaims = {
      versionAt: ({ name }) => (name === "c" ? "7" : undefined),
      at: () => undefined,
    };
    const seen = releases(entry("c", { amount: 3 }), entry("d", { amount: 2 }));
    const need = { policy: "maps", needed: { consumer, parts: [part(2)] } };
    const given = seen.onChange(address, "a", [need], stored);
    expect(given.map(({ uid, left }) => [uid, left?.map(({ amount }) => Number(amount))])).toEqual([["c", [2]]]);
  });

  it("a claim that came with the object or with a change of it goes with it", () => {
    const seen = releases();
    seen.note("a", [placeOf("c")]);
    seen.note("a", [placeOf("d")]);
    const at: StoredClaims["at"] = ({ name }) => storedClaim(name, 2);
    const given = seen.onRemoval(address, "a", { versionAt: () => "9", at });
    expect(given.map(({ uid, held }) => [uid, held.map(({ amount }) => Number(amount))])).toEqual([
      ["c", [2]],
      ["d", [2]],
    ]);
  });

  it("a claim that came with the object and is gone again, or another's by now, does not", () => {
    const seen = releases();
    seen.note("a", [placeOf("c"), placeOf("d")]);
    const at: StoredClaims["at"] = ({ name }) => (name === "c" ? undefined : storedClaim(name, 2, "b"));
    expect(seen.onRemoval(address, "a", { versionAt: () => "9", at })).toEqual([]);
  });
});
