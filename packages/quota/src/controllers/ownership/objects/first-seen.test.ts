import { beforeEach, describe, expect, it } from "vitest";
import type { ClaimRecord } from "../../../views/claim-record.ts";
import { FirstSeen } from "./first-seen.ts";

let nowMs: number;
let seen: FirstSeen;

beforeEach(() => {
  nowMs = 1_000;
  seen = new FirstSeen(() => nowMs);
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
const born = claim({ listed: "a", owners: ["a"] });
const listSeenMs = (now: ClaimRecord): number => seen.agesOf("key", now).listSeenMs;

describe.each([
  ["that nobody owns", unowned],
  ["that was born with its owner", born],
])("a claim %s", (_, now) => {
  it("has been seen for as long as it has had its list", () => {
    seen.saw("key", now);
    nowMs += 500;
    seen.saw("key", now);
    expect(listSeenMs(now)).toBe(500);
    expect(seen.landed("key", now)).toBeUndefined();
  });

  it("has an object that was there, whatever else happens to it", () => {
    seen.saw("key", now);
    seen.sawObject("key", now, "a");
    seen.saw("key", { ...now, version: "2", state: "pending" });
    expect(seen.landed("key", now)).toBe("a");
  });

  it("has none that it does not list", () => {
    seen.saw("key", now);
    seen.sawObject("key", now, "z");
    expect(seen.landed("key", now)).toBeUndefined();
  });

  it("has it no more when it is not listed any more, and still when others are", () => {
    seen.saw("key", now);
    seen.sawObject("key", now, "a");
    const joined = claim({ listed: "a,b" });
    nowMs += 500;
    seen.saw("key", joined);
    expect([seen.landed("key", joined), listSeenMs(joined)]).toEqual(["a", 0]);
    const left = claim({ listed: "b" });
    seen.saw("key", left);
    expect(seen.landed("key", left)).toBeUndefined();
  });

  it("is forgotten when it is gone, and so it is nothing to another of its name", () => {
    seen.saw("key", now);
    seen.sawObject("key", now, "a");
    seen.forget("key", now);
    expect(seen.landed("key", now)).toBeUndefined();
    seen.saw("key", { ...now, uid: "other" });
    expect(seen.landed("key", { ...now, uid: "other" })).toBeUndefined();
  });

  it("keeps its object when it is denied, and is denied from then on", () => {
    seen.saw("key", now);
    seen.sawObject("key", now, "a");
    const denied = { ...now, state: "denied" } as const;
    seen.saw("key", denied);
    nowMs += 300;
    expect([seen.landed("key", denied), seen.agesOf("key", denied).deniedSeenMs]).toEqual(["a", 300]);
  });

  it("is of no interest once it is bound", () => {
    seen.saw("key", now);
    seen.sawObject("key", now, "a");
    const bound = claim({ listed: "a", owners: ["a"], bound: "a" });
    seen.saw("key", bound);
    expect(seen.landed("key", bound)).toBeUndefined();
  });
});
