import { describe, expect, it } from "vitest";
import { at, conditionAt, listAt, textAt, textsAt } from "../invariants/json-fields.ts";
import { quotaSubject } from "../quota-subject.ts";
import { runSeed } from "../run-seed.ts";
import type { Playwright, TrueChange } from "../world/world.ts";

/** What must have happened in some worlds, or nothing is proved by all of them. */
const happenings: Readonly<Record<string, (change: TrueChange) => boolean>> = {
  "a claim of a service is granted": (change) => !isAutomatic(change) && answerIn(change) === "QuotaAvailable",
  "a claim of a service is denied": (change) => !isAutomatic(change) && answerIn(change) === "QuotaExceeded",
  "a claim is not valid": (change) => answerIn(change) === "ValidationFailed",
  "a claim of several types is granted": (change) => answerIn(change) === "QuotaAvailable" && typesIn(change).size > 1,
  "a claim is granted in a place": (change) =>
    answerIn(change) === "QuotaAvailable" && listAt(change.now.object, "spec", "requests").some(hasDimensions),
  "an object is refused": (change) => isAutomatic(change) && answerIn(change) === "QuotaExceeded",
  "an object is bound": (change) => noteIn(change, "bound") !== "",
  "several posts wait for one claim": (change) => noteIn(change, "candidates").includes(","),
  "a claim is for an object in another plane": (change) =>
    noteIn(change, "resource-plane") !== "" && noteIn(change, "resource-plane") !== change.now.key.plane,
  "an object is counted past its limit": (change) =>
    listAt(change.now.object, "status", "reservations").some((promise) => isForced(promise)),
  "a page promises several claims something at once": (change) =>
    listAt(change.now.object, "status", "reservations").length > 1,
  "a page is over its limit": (change) =>
    isA(change, "allowancebuckets") && textAt(conditionAt(change.now.object, "OverLimit"), "status") === "True",
  "a grant expires": (change) => textAt(conditionAt(change.now.object, "Active"), "reason") === "GrantExpired",
  "a policy makes a grant": (change) => isA(change, "resourcegrants") && noteIn(change, "policy") !== "",
  "a policy is switched off": (change) =>
    textAt(conditionAt(change.now.object, "Ready"), "reason") === "PolicyDisabled",
  "a claim is born granted": (change) => change.type === "added" && answerIn(change) === "QuotaAvailable",
  "a claim of several types is born granted": (change) =>
    change.type === "added" && answerIn(change) === "QuotaAvailable" && typesIn(change).size > 1,
  "a page goes": (change) => isA(change, "allowancebuckets") && change.type === "deleted",
};

describe("those who act in simulated worlds", () => {
  it("bring everything about that the worlds are there for", async () => {
    const seen = new Set<string>();
    for (let seed = 1; seed <= 40 && seen.size < Object.keys(happenings).length; seed += 1) {
      const subject = quotaSubject(seed);
      const write: Playwright = (world, random, size) => {
        world.truth.onChange((change) => {
          for (const [name, happens] of Object.entries(happenings)) if (happens(change)) seen.add(name);
        });
        return subject.write(world, random, size);
      };
      await runSeed({ ...subject, write }, { seed, steps: 80 });
    }
    expect(Object.keys(happenings).filter((name) => !seen.has(name))).toEqual([]);
  });
});

function isA({ now }: TrueChange, plural: string): boolean {
  return now.key.resource === `${plural}.quota.miloapis.com`;
}

function answerIn(change: TrueChange): string {
  return isA(change, "resourceclaims") ? textAt(conditionAt(change.now.object, "Granted"), "reason") : "";
}

function isAutomatic({ now }: TrueChange): boolean {
  return textAt(now.object, "metadata", "labels", "quota.miloapis.com/auto-created") === "true";
}

function noteIn({ now }: TrueChange, name: string): string {
  return textAt(now.object, "metadata", "annotations", `quota.miloapis.com/${name}`);
}

function typesIn({ now }: TrueChange): ReadonlySet<string> {
  return new Set(listAt(now.object, "spec", "requests").map((request) => textAt(request, "resourceType")));
}

function hasDimensions(request: Parameters<typeof textAt>[0]): boolean {
  return Object.keys(textsAt(request, "dimensions")).length > 0;
}

function isForced(promise: Parameters<typeof textAt>[0]): boolean {
  return at(promise, "forced") === true;
}
