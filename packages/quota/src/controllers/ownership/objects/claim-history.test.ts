import { beforeEach, describe, expect, it } from "vitest";
import type { ClaimRecord } from "../../../views/claim-record.ts";
import { ClaimHistory } from "./claim-history.ts";

let nowMs: number;
let history: ClaimHistory;

beforeEach(() => {
  nowMs = 1_000;
  history = new ClaimHistory(() => nowMs);
});

interface Given {
  readonly uid?: string;
  readonly listed: string;
  readonly owners?: readonly string[];
  readonly bound?: string;
  readonly state?: ClaimRecord["state"];
}

const claim = ({ uid = "claim", listed, owners = [], bound, state = "granted" }: Given): ClaimRecord => ({
  uid,
  version: "1",
  consumer: { apiGroup: "", kind: "Namespace", namespace: "", name: "default" },
  state,
  deleting: false,
  parts: [],
  open: undefined,
  automatic: {
    policy: "things",
    resourcePlane: "",
    resource: { apiGroup: "", kind: "ConfigMap", namespace: "default", name: "a" },
    candidates: listed.split(","),
    bound,
    owners,
  },
});

const unowned = claim({ listed: "a" });
const owned = claim({ listed: "a", owners: ["a"] });
const candidatesAgeMs = (now: ClaimRecord): number => history.agesOf("id", now).candidatesAgeMs;

describe.each([
  ["without an owner", unowned],
  ["created with its owner", owned],
])("a claim %s", (_, now) => {
  it("is as old as its list of candidates", () => {
    history.observe("id", now);
    nowMs += 500;
    history.observe("id", now);
    expect(candidatesAgeMs(now)).toBe(500);
    expect(history.storedCandidate("id", now)).toBeUndefined();
  });

  it("remembers its stored candidate when its state changes", () => {
    history.observe("id", now);
    history.observeObject("id", now, "a");
    history.observe("id", { ...now, version: "2", state: "pending" });
    expect(history.storedCandidate("id", now)).toBe("a");
  });

  it("ignores an object that is not a candidate", () => {
    history.observe("id", now);
    history.observeObject("id", now, "z");
    expect(history.storedCandidate("id", now)).toBeUndefined();
  });

  it("keeps its stored candidate when others are added, and drops it when it is removed from the list", () => {
    history.observe("id", now);
    history.observeObject("id", now, "a");
    const joined = claim({ listed: "a,b" });
    nowMs += 500;
    history.observe("id", joined);
    expect([history.storedCandidate("id", joined), candidatesAgeMs(joined)]).toEqual(["a", 0]);
    const left = claim({ listed: "b" });
    history.observe("id", left);
    expect(history.storedCandidate("id", left)).toBeUndefined();
  });

  it("is forgotten when it is deleted, and does not affect another claim of the same name", () => {
    history.observe("id", now);
    history.observeObject("id", now, "a");
    history.forget("id", now);
    expect(history.storedCandidate("id", now)).toBeUndefined();
    history.observe("id", { ...now, uid: "other" });
    expect(history.storedCandidate("id", { ...now, uid: "other" })).toBeUndefined();
  });

  it("keeps its stored candidate when it is denied, and is denied from then on", () => {
    history.observe("id", now);
    history.observeObject("id", now, "a");
    const denied = { ...now, state: "denied" } as const;
    history.observe("id", denied);
    nowMs += 300;
    expect([history.storedCandidate("id", denied), history.agesOf("id", denied).deniedAgeMs]).toEqual(["a", 300]);
  });

  it("has no entry once it is bound", () => {
    history.observe("id", now);
    history.observeObject("id", now, "a");
    const bound = claim({ listed: "a", owners: ["a"], bound: "a" });
    history.observe("id", bound);
    expect(history.storedCandidate("id", bound)).toBeUndefined();
  });
});
