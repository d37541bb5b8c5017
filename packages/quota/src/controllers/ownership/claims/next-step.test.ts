import { describe, expect, it } from "vitest";
import { type ClaimSituation, type ClaimStep, defaultTimes, nextStep, type Sighting } from "./next-step.ts";

const there = (uid: string, more: { terminating?: boolean; live?: boolean; apiVersion?: string } = {}): Sighting => ({
  sight: "there",
  uid,
  apiVersion: "v1",
  terminating: false,
  live: false,
  ...more,
});
const [starting, unseen, gone] = (["starting", "unseen", "gone"] as const).map((sight) => ({ sight })) as [
  Sighting,
  Sighting,
  Sighting,
];

interface Given {
  readonly state?: ClaimSituation["state"];
  readonly listed: string;
  readonly bound?: string;
  readonly landed?: string;
  readonly owners?: readonly string[];
  readonly mayBeOwned?: boolean;
  readonly seenS?: number;
  readonly deniedS?: number;
}

function stepFor(given: Given, object: Sighting): ClaimStep {
  const { state = "granted", listed, bound, landed, owners = [], mayBeOwned = true, seenS = 0, deniedS = 0 } = given;
  const candidates = listed.split(",").filter((uid) => uid !== "");
  const automatic = { candidates, bound, owners };
  const times = { listSeenMs: seenS * 1_000, deniedSeenMs: deniedS * 1_000 };
  return nextStep({ state, automatic, mayBeOwned, object, landed, ...times }, defaultTimes);
}

const nothing: ClaimStep = { step: "nothing" };
const look: ClaimStep = { step: "look" };
const wait = (seconds: number): ClaimStep => ({ step: "wait", forMs: seconds * 1_000 });
const bind = (uid: string, listed: string, owned: boolean): ClaimStep => ({
  step: "bind",
  uid,
  candidates: listed.split(","),
  ownerVersion: owned ? "v1" : undefined,
});
const unbind = (uid: string, left: string): ClaimStep => ({ step: "unbind", uid, candidates: left.split(",") });
const remove = (why: "denied" | "unused" | "released"): ClaimStep => ({ step: "delete", why });

type Case = readonly [Given, Sighting, ClaimStep];

const bindings: Readonly<Record<string, Case>> = {
  "an object that is the only candidate owns the claim": [{ listed: "a" }, there("a"), bind("a", "a", true)],
  "a pending claim is left to its answer for a second": [{ state: "pending", listed: "a" }, there("a"), wait(1)],
  "and bound then as well": [{ state: "pending", listed: "a", seenS: 1 }, there("a"), bind("a", "a", true)],
  "that it was seen before is not written down yet": [{ listed: "a", landed: "a" }, there("a"), bind("a", "a", true)],
  "an owner reference needs a version, which a view may not tell": [
    { listed: "a" },
    there("a", { apiVersion: "" }),
    look,
  ],
  "among several candidates it is bound, and not owned": [{ listed: "a,b" }, there("b"), bind("b", "a,b", false)],
  "one that is going does not own it": [{ listed: "a" }, there("a", { terminating: true }), bind("a", "a", false)],
  "one in another plane or namespace does not own it": [
    { listed: "a", mayBeOwned: false },
    there("a"),
    bind("a", "a", false),
  ],
  "what is bound and owned is left": [{ listed: "a", bound: "a", owners: ["a"] }, there("a"), nothing],
  "what is bound and cannot be owned is left": [{ listed: "a", bound: "a", mayBeOwned: false }, there("a"), nothing],
  "an owner reference that is missing is added": [{ listed: "a", bound: "a" }, there("a"), bind("a", "a", true)],
  "others on the list keep their time": [{ listed: "a,b", bound: "a", seenS: 39 }, there("a"), wait(1)],
  "after it the object is looked at": [{ listed: "a,b", bound: "a", seenS: 40 }, there("a"), look],
  "and has the claim for itself": [
    { listed: "a,b", bound: "a", seenS: 40 },
    there("a", { live: true }),
    bind("a", "a", true),
  ],
  "a view is not enough for that": [{ listed: "a,b", seenS: 40 }, there("a"), bind("a", "a,b", false)],
  "a candidate that comes while another is bound is looked at": [{ listed: "a,b", bound: "a" }, there("b"), look],
};

const unused: Readonly<Record<string, Case>> = {
  "a candidate has its time to come": [{ listed: "a", seenS: 10 }, unseen, wait(30)],
  "then the object is looked for": [{ listed: "a", seenS: 40 }, unseen, look],
  "then too when a view never starts": [{ listed: "a", seenS: 40 }, starting, look],
  "and the claim deleted": [{ listed: "a", seenS: 40 }, gone, remove("unused")],
  "undecided or not": [{ state: "pending", listed: "a", seenS: 41 }, gone, remove("unused")],
  "never before that time, even if it is not there": [{ listed: "a", seenS: 39 }, gone, wait(1)],
  "another object of that name is not it": [{ listed: "a", seenS: 40 }, there("z", { live: true }), remove("unused")],
  "another object in a view is no proof": [{ listed: "a", seenS: 40 }, there("z"), look],
  "another object keeps a candidate from its time no more than none": [
    { listed: "a", seenS: 5 },
    there("z", { live: true }),
    wait(35),
  ],
  "a claim for nobody goes as well": [{ listed: "", seenS: 40 }, gone, remove("unused")],
};

const releases: Readonly<Record<string, Case>> = {
  "an object that a view does not show is looked for": [{ listed: "a", bound: "a" }, unseen, look],
  "not before the view has started": [{ listed: "a", bound: "a" }, starting, nothing],
  "an object that is gone lets the claim go": [{ listed: "a", bound: "a" }, gone, remove("released")],
  "one that was there and is not, is looked for at once": [{ listed: "a", landed: "a" }, unseen, look],
  "not before its view has started anew": [{ listed: "a", landed: "a" }, starting, wait(40)],
  "and lets a claim go that was never bound to it": [
    { state: "pending", listed: "a", landed: "a" },
    gone,
    remove("released"),
  ],
  "but leaves it to others that may come": [{ listed: "a,b", landed: "a" }, gone, unbind("a", "b")],
  "another one of that name does not hold it": [
    { listed: "a", bound: "a" },
    there("z", { live: true }),
    remove("released"),
  ],
  "other candidates keep it": [{ listed: "a,b,c", bound: "a" }, gone, unbind("a", "b,c")],
  "one of them may be there already": [{ listed: "a,b", bound: "a" }, there("b", { live: true }), unbind("a", "b")],
  "an object that is going holds it": [
    { listed: "a", bound: "a", owners: ["a"] },
    there("a", { terminating: true, live: true }),
    nothing,
  ],
};

const owned = { listed: "a", owners: ["a"] };

/** As earlier versions made them. */
const ownedFromTheStart: Readonly<Record<string, Case>> = {
  "it is bound as soon as the object is there": [owned, there("a"), bind("a", "a", false)],
  "after a second for its answer": [{ ...owned, state: "pending" }, there("a"), wait(1)],
  "however often the object is listed": [{ ...owned, listed: "a,a" }, there("a"), bind("a", "a,a", false)],
  "going or not": [owned, there("a", { terminating: true }), bind("a", "a", false)],
  "in another version or none": [owned, there("a", { apiVersion: "" }), bind("a", "a", false)],
  "with others on the list it is bound like any other": [
    { ...owned, listed: "a,b" },
    there("a"),
    bind("a", "a,b", false),
  ],
  "an owner that is not listed is none": [{ ...owned, owners: ["z"] }, there("a"), bind("a", "a", true)],
  "the object has its time to come": [{ ...owned, seenS: 10 }, unseen, wait(30)],
  "even if the server says that it is not there": [{ ...owned, seenS: 39 }, gone, wait(1)],
  "after that it is deleted": [{ ...owned, seenS: 40 }, gone, remove("unused")],
  "before the view has started nothing is done": [{ ...owned, seenS: 40 }, starting, nothing],
  "an object that was there and is not, is looked for at once": [{ ...owned, landed: "a" }, unseen, look],
  "and lets the claim go": [{ ...owned, landed: "a" }, gone, remove("released")],
};

const denials: Readonly<Record<string, Case>> = {
  "a denied claim can be looked at for a minute": [{ state: "denied", listed: "a", deniedS: 59 }, unseen, wait(1)],
  "and goes then": [{ state: "denied", listed: "a", deniedS: 60 }, unseen, remove("denied")],
  "not sooner for want of an object": [{ state: "denied", listed: "a", seenS: 50, deniedS: 1 }, gone, wait(59)],
  "it is not bound": [{ state: "denied", listed: "a" }, there("a"), wait(60)],
};

describe.each([
  ["binding", bindings],
  ["a claim that nobody used", unused],
  ["release", releases],
  ["a claim that names its owner and is not bound", ownedFromTheStart],
  ["denial", denials],
])("%s", (_, cases) => {
  it.each(Object.entries(cases))("%s", (_sentence, [given, object, step]) => {
    expect(stepFor(given, object)).toEqual(step);
  });
});
