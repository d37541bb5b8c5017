import { describe, expect, it } from "vitest";
import { type ClaimStep, defaultTimes, nextStep, type ObjectObservation, type ObservedClaim } from "./next-step.ts";

const present = (
  uid: string,
  more: { terminating?: boolean; live?: boolean; apiVersion?: string } = {},
): ObjectObservation => ({
  object: "present",
  uid,
  apiVersion: "v1",
  terminating: false,
  live: false,
  ...more,
});
const starting: ObjectObservation = { object: "starting" };
const uncached: ObjectObservation = { object: "uncached" };
const absent: ObjectObservation = { object: "absent" };

interface Given {
  readonly state?: ObservedClaim["state"];
  readonly listed: string;
  readonly bound?: string;
  readonly stored?: string;
  readonly owners?: readonly string[];
  readonly mayBeOwned?: boolean;
  readonly ageS?: number;
  readonly deniedS?: number;
}

function stepFor(given: Given, observation: ObjectObservation): ClaimStep {
  const { state = "granted", listed, bound, stored, owners = [], mayBeOwned = true, ageS = 0, deniedS = 0 } = given;
  const candidates = listed.split(",").filter((uid) => uid !== "");
  const automatic = { candidates, bound, owners };
  const times = { candidatesAgeMs: ageS * 1_000, deniedAgeMs: deniedS * 1_000 };
  return nextStep({ state, automatic, mayBeOwned, observation, storedCandidate: stored, ...times }, defaultTimes);
}

const none: ClaimStep = { step: "none" };
const read: ClaimStep = { step: "read" };
const wait = (seconds: number): ClaimStep => ({ step: "wait", forMs: seconds * 1_000 });
const bind = (uid: string, listed: string, owned: boolean): ClaimStep => ({
  step: "bind",
  uid,
  candidates: listed.split(","),
  ownerVersion: owned ? "v1" : undefined,
});
const unbind = (uid: string, left: string): ClaimStep => ({ step: "unbind", uid, candidates: left.split(",") });
const remove = (reason: "denied" | "unused" | "released"): ClaimStep => ({ step: "delete", reason });

type Case = readonly [Given, ObjectObservation, ClaimStep];

const bindings: Readonly<Record<string, Case>> = {
  "an object that is the only candidate owns the claim": [{ listed: "a" }, present("a"), bind("a", "a", true)],
  "a pending claim is left to the bucket writer for a second": [
    { state: "pending", listed: "a" },
    present("a"),
    wait(1),
  ],
  "and bound after that": [{ state: "pending", listed: "a", ageS: 1 }, present("a"), bind("a", "a", true)],
  "an observed candidate is not bound yet": [{ listed: "a", stored: "a" }, present("a"), bind("a", "a", true)],
  "an owner reference needs the apiVersion, which the cache may lack": [
    { listed: "a" },
    present("a", { apiVersion: "" }),
    read,
  ],
  "one of several candidates does not own the claim": [{ listed: "a,b" }, present("b"), bind("b", "a,b", false)],
  "a terminating object does not own the claim": [
    { listed: "a" },
    present("a", { terminating: true }),
    bind("a", "a", false),
  ],
  "an object in another control plane or namespace does not own it": [
    { listed: "a", mayBeOwned: false },
    present("a"),
    bind("a", "a", false),
  ],
  "a bound and owned claim is left alone": [{ listed: "a", bound: "a", owners: ["a"] }, present("a"), none],
  "a bound claim that cannot be owned is left alone": [
    { listed: "a", bound: "a", mayBeOwned: false },
    present("a"),
    none,
  ],
  "a missing owner reference is added": [{ listed: "a", bound: "a" }, present("a"), bind("a", "a", true)],
  "other candidates may be stored until the TTL": [{ listed: "a,b", bound: "a", ageS: 39 }, present("a"), wait(1)],
  "after the TTL the object is read": [{ listed: "a,b", bound: "a", ageS: 40 }, present("a"), read],
  "and becomes the only candidate": [
    { listed: "a,b", bound: "a", ageS: 40 },
    present("a", { live: true }),
    bind("a", "a", true),
  ],
  "the cache does not suffice for that": [{ listed: "a,b", ageS: 40 }, present("a"), bind("a", "a,b", false)],
  "a candidate that appears while another is bound is read": [{ listed: "a,b", bound: "a" }, present("b"), read],
};

const unused: Readonly<Record<string, Case>> = {
  "a candidate may be stored until the TTL": [{ listed: "a", ageS: 10 }, uncached, wait(30)],
  "after the TTL the object is read": [{ listed: "a", ageS: 40 }, uncached, read],
  "even if the informer never syncs": [{ listed: "a", ageS: 40 }, starting, read],
  "and the claim deleted if it is absent": [{ listed: "a", ageS: 40 }, absent, remove("unused")],
  "even if it is undecided": [{ state: "pending", listed: "a", ageS: 41 }, absent, remove("unused")],
  "never before the TTL, even if it is absent": [{ listed: "a", ageS: 39 }, absent, wait(1)],
  "another object of that name is not a candidate": [
    { listed: "a", ageS: 40 },
    present("z", { live: true }),
    remove("unused"),
  ],
  "another object in the cache is no proof": [{ listed: "a", ageS: 40 }, present("z"), read],
  "another object does not shorten the TTL": [{ listed: "a", ageS: 5 }, present("z", { live: true }), wait(35)],
  "a claim without candidates is deleted as well": [{ listed: "", ageS: 40 }, absent, remove("unused")],
};

const releases: Readonly<Record<string, Case>> = {
  "an object that is not in the cache is read": [{ listed: "a", bound: "a" }, uncached, read],
  "not before the informer has synced": [{ listed: "a", bound: "a" }, starting, none],
  "an absent object releases the claim": [{ listed: "a", bound: "a" }, absent, remove("released")],
  "an observed object that is missing from the cache is read at once": [{ listed: "a", stored: "a" }, uncached, read],
  "not before the informer has synced again": [{ listed: "a", stored: "a" }, starting, wait(40)],
  "and releases a claim that was never bound to it": [
    { state: "pending", listed: "a", stored: "a" },
    absent,
    remove("released"),
  ],
  "but leaves it to the other candidates": [{ listed: "a,b", stored: "a" }, absent, unbind("a", "b")],
  "another object of that name does not keep the claim": [
    { listed: "a", bound: "a" },
    present("z", { live: true }),
    remove("released"),
  ],
  "other candidates keep it": [{ listed: "a,b,c", bound: "a" }, absent, unbind("a", "b,c")],
  "one of them may exist already": [{ listed: "a,b", bound: "a" }, present("b", { live: true }), unbind("a", "b")],
  "a terminating object keeps it": [
    { listed: "a", bound: "a", owners: ["a"] },
    present("a", { terminating: true, live: true }),
    none,
  ],
};

const owned = { listed: "a", owners: ["a"] };

/** As earlier versions created them. */
const ownedFromTheStart: Readonly<Record<string, Case>> = {
  "it is bound as soon as the object exists": [owned, present("a"), bind("a", "a", false)],
  "after a second for the bucket writer": [{ ...owned, state: "pending" }, present("a"), wait(1)],
  "even if the object is listed twice": [{ ...owned, listed: "a,a" }, present("a"), bind("a", "a,a", false)],
  "even if the object is terminating": [owned, present("a", { terminating: true }), bind("a", "a", false)],
  "even without an apiVersion": [owned, present("a", { apiVersion: "" }), bind("a", "a", false)],
  "with other candidates it is bound like any claim": [
    { ...owned, listed: "a,b" },
    present("a"),
    bind("a", "a,b", false),
  ],
  "an owner that is not a candidate does not count": [{ ...owned, owners: ["z"] }, present("a"), bind("a", "a", true)],
  "the object may be stored until the TTL": [{ ...owned, ageS: 10 }, uncached, wait(30)],
  "even if the API server reports that it is absent": [{ ...owned, ageS: 39 }, absent, wait(1)],
  "after the TTL it is deleted": [{ ...owned, ageS: 40 }, absent, remove("unused")],
  "before the informer has synced it is left alone": [{ ...owned, ageS: 40 }, starting, none],
  "an observed object that is missing from the cache is read at once": [{ ...owned, stored: "a" }, uncached, read],
  "and releases the claim if it is absent": [{ ...owned, stored: "a" }, absent, remove("released")],
};

const denials: Readonly<Record<string, Case>> = {
  "a denied claim is kept for a minute": [{ state: "denied", listed: "a", deniedS: 59 }, uncached, wait(1)],
  "and deleted then": [{ state: "denied", listed: "a", deniedS: 60 }, uncached, remove("denied")],
  "not sooner because its object is absent": [{ state: "denied", listed: "a", ageS: 50, deniedS: 1 }, absent, wait(59)],
  "it is not bound": [{ state: "denied", listed: "a" }, present("a"), wait(60)],
};

describe.each([
  ["binding", bindings],
  ["an unused claim", unused],
  ["release", releases],
  ["a claim that names its owner and is not bound", ownedFromTheStart],
  ["denial", denials],
])("%s", (_, cases) => {
  it.each(Object.entries(cases))("%s", (_sentence, [given, observation, step]) => {
    expect(stepFor(given, observation)).toEqual(step);
  });
});
