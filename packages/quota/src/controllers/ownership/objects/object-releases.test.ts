import { describe, expect, it } from "vitest";
import type { ClaimPart } from "../../../core/ledger/claim-knowledge.ts";
import { amountOf } from "../../../core/resources/fields/amount.ts";
import { parseResourceClaim } from "../../../core/resources/resource-claim.ts";
import type { AutomaticClaim, ClaimRecord } from "../../../views/claim-record.ts";
import type { ClaimEntry } from "../claims/claim-index.ts";
import { ObjectReleases, type StoredClaims } from "./object-releases.ts";

const consumer = { apiGroup: "", kind: "Namespace", namespace: "", name: "default" };
const address = {
  kind: { apiGroup: "", kind: "ConfigMap" },
  key: { plane: "root", namespace: "default", name: "a" },
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

/** The cache is up to date. */
const upToDate: StoredClaims = { versionOf: () => "7", get: () => undefined };

const releases = (...entries: readonly ClaimEntry[]) => new ObjectReleases({ of: () => entries });

describe("the claims released with an object", () => {
  const cases: Readonly<Record<string, readonly [given: Given, goes: boolean]>> = {
    "one that is granted and bound to it": [{}, true],
    "one that is being deleted, and kept for it": [{ deleting: true }, true],
    "one that lists it several times": [{ candidates: ["a", "a"] }, true],
    "one that it owns, without other candidates": [{ bound: undefined, owners: ["a"] }, true],
    "one that lists others as well": [{ candidates: ["a", "b"] }, false],
    "one that is bound to another": [{ bound: "b", candidates: ["b"] }, false],
    "one that is not bound to anything": [{ bound: undefined }, false],
    "one that is pending": [{ state: "pending" }, false],
    "one that was denied": [{ state: "denied" }, false],
    "one that a user created": [{ manual: true }, false],
  };
  for (const [which, [given, goes]] of Object.entries(cases)) {
    it(`are ${goes ? "" : "not "}${which}`, () => {
      const found = releases(entry("c", given)).onRemoval(address, "a", upToDate);
      expect(found.map(({ uid, left }) => [uid, left])).toEqual(goes ? [["c", undefined]] : []);
    });
  }
});

describe("the claims released when an object needs less", () => {
  const needed = (amount: number) => ({ policy: "maps", needed: { consumer, parts: [part(amount)] } });
  const left = (
    entries: readonly ClaimEntry[],
    need: ReturnType<typeof needed> | { policy: string; needed: undefined },
  ) =>
    releases(...entries)
      .onChange(address, "a", [need], upToDate)
      .map((each) => [each.uid, each.left?.map(({ amount }) => Number(amount))]);

  it("shrink, or are released as a whole", () => {
    expect(left([entry("c", { amount: 5 })], needed(2))).toEqual([["c", [2]]]);
    expect(left([entry("c", { amount: 5 }), entry("d", { amount: 3 })], needed(5))).toEqual([["d", undefined]]);
    expect(left([entry("c", { amount: 5 }), entry("d", { amount: 3 })], { policy: "maps", needed: undefined })).toEqual(
      [
        ["c", undefined],
        ["d", undefined],
      ],
    );
  });

  it("are none if everything is needed", () => {
    expect(left([entry("c", { amount: 2 })], needed(2))).toEqual([]);
    expect(left([entry("c", { amount: 2 })], needed(3))).toEqual([]);
  });

  it("are none of other policies, and denied ones do not matter", () => {
    const others = [entry("other", { policy: "others", amount: 9 }), entry("denied", { state: "denied" })];
    expect(left([entry("c", { amount: 5 }), ...others], needed(2))).toEqual([["c", [2]]]);
  });

  it.each<[string, Given]>([
    ["is pending", { state: "pending" }],
    ["is being deleted", { deleting: true }],
    ["has other candidates", { candidates: ["a", "b"] }],
  ])("are none while one of them %s", (_, given) => {
    expect(left([entry("c", { amount: 5 }), entry("d", given)], needed(2))).toEqual([]);
  });
});

describe("while the cache is behind", () => {
  const keyOf = (name: string) => ({ plane: "root", namespace: "default", name });

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

  it("a deleted claim holds nothing, so that the others keep what is needed", () => {
    const stored: StoredClaims = {
      versionOf: ({ name }) => (name === "c" ? "7" : undefined),
      get: () => undefined,
    };
    const own = releases(entry("c", { amount: 3 }), entry("d", { amount: 2 }));
    const need = { policy: "maps", needed: { consumer, parts: [part(2)] } };
    const given = own.onChange(address, "a", [need], stored);
    expect(given.map(({ uid, left }) => [uid, left?.map(({ amount }) => Number(amount))])).toEqual([["c", [2]]]);
  });

  it("a claim that was stored with the object, or with an update of it, is released with it", () => {
    const own = releases();
    own.recordClaims("a", [keyOf("c")]);
    own.recordClaims("a", [keyOf("d")]);
    const get: StoredClaims["get"] = ({ name }) => storedClaim(name, 2);
    const given = own.onRemoval(address, "a", { versionOf: () => "9", get });
    expect(given.map(({ uid, held }) => [uid, held.map(({ amount }) => Number(amount))])).toEqual([
      ["c", [2]],
      ["d", [2]],
    ]);
  });

  it("a claim that was stored with the object is not released if it is gone or bound to another object", () => {
    const own = releases();
    own.recordClaims("a", [keyOf("c"), keyOf("d")]);
    const get: StoredClaims["get"] = ({ name }) => (name === "c" ? undefined : storedClaim(name, 2, "b"));
    expect(own.onRemoval(address, "a", { versionOf: () => "9", get })).toEqual([]);
  });
});
