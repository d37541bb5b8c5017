import { describe, expect, it } from "vitest";
import { type ClaimParts, storedClaim } from "../../../test/claim-fixtures.ts";
import { type EventMeaning, Waiter, type WaitResult } from "./waiter.ts";

type Step =
  | { readonly follow: ClaimParts }
  | { readonly sees: ClaimParts }
  | { readonly deleted: string }
  | { readonly notFound: string | undefined };

const me = { candidates: "me" } as const;

function play(steps: readonly Step[]): { readonly waiter: Waiter; readonly meanings: readonly (EventMeaning | "")[] } {
  const waiter = new Waiter({ namespace: "default", name: "claim", candidate: "me" });
  const meanings = steps.map((step): EventMeaning | "" => {
    if ("sees" in step) return waiter.onClaim(storedClaim(step.sees));
    if ("deleted" in step) return waiter.onDeleted(step.deleted);
    if ("notFound" in step) return waiter.onNotFound(step.notFound);
    waiter.follow(storedClaim(step.follow));
    return "";
  });
  return { waiter, meanings };
}

/** Undefined while the waiter waits. */
async function resultOf(waiter: Waiter): Promise<WaitResult["result"] | undefined> {
  return Promise.race([waiter.done.then(({ result }) => result), Promise.resolve().then(() => undefined)]);
}

describe("a waiter", () => {
  const granted = { ...me, state: "granted" } as const;
  const cases: Record<string, [steps: readonly Step[], result: WaitResult["result"] | undefined]> = {
    "waits while nothing is known": [[], undefined],
    "gets the decision after it follows the claim": [
      [{ follow: me }, { sees: { ...granted, version: 11 } }],
      "granted",
    ],
    "gets a decision that arrived before it could follow the claim": [
      [{ sees: { ...granted, version: 11 } }, { follow: me }],
      "granted",
    ],
    "ends at once when the claim is granted already": [[{ follow: granted }], "granted"],
    "gets a denial": [[{ follow: me }, { sees: { ...me, state: "denied", version: 11 } }], "denied"],
    "gets that the claim is invalid": [[{ follow: me }, { sees: { ...me, state: "invalid", version: 11 } }], "invalid"],
    "keeps waiting while the claim is pending": [[{ follow: me }, { sees: { ...me, version: 11 } }], undefined],
    "ignores versions from before the claim listed its object": [
      [{ sees: { state: "granted", candidates: "other", version: 9 } }, { follow: me }],
      undefined,
    ],
    "ignores an older claim of the name": [
      [{ sees: { ...granted, uid: "old", version: 8 } }, { deleted: "old" }, { follow: me }],
      undefined,
    ],
    "ignores late events of an older claim of the name": [
      [{ follow: me }, { sees: { ...granted, uid: "old", version: 8 } }, { deleted: "old" }],
      undefined,
    ],
    "is lost when its claim is deleted": [[{ follow: me }, { deleted: "claim-1" }], "lost"],
    "is lost when its claim was deleted before it could follow it": [[{ deleted: "claim-1" }, { follow: me }], "lost"],
    "is lost when another claim has the name": [
      [{ follow: me }, { sees: { ...granted, uid: "new", version: 12 } }],
      "lost",
    ],
    "is lost when another claim had the name before it could follow its own": [
      [{ sees: { ...granted, uid: "new", version: 12 } }, { follow: me }],
      "lost",
    ],
    "is lost when its object is no longer listed, granted or not": [
      [{ follow: me }, { sees: { candidates: "other", state: "granted", version: 11 } }],
      "lost",
    ],
    "is lost when a read does not find its claim": [[{ follow: me }, { notFound: "claim-1" }], "lost"],
    "is not lost by a read that started before its claim was created": [
      [{ follow: me }, { notFound: undefined }],
      undefined,
    ],
    "is not lost by a read before its claim is created": [[{ notFound: undefined }, { follow: me }], undefined],
    "takes the first result only": [
      [{ follow: me }, { sees: { ...granted, version: 11 } }, { deleted: "claim-1" }],
      "granted",
    ],
  };
  for (const [name, [steps, result]] of Object.entries(cases)) {
    it(name, async () => expect(await resultOf(play(steps).waiter)).toBe(result));
  }

  it("returns the meaning of every event", () => {
    const { meanings } = play([
      { sees: granted },
      { deleted: "old" },
      { follow: me },
      { sees: { ...me, version: 9 } },
      { sees: { ...me, version: 11 } },
      { sees: { ...granted, version: 12 } },
    ]);
    expect(meanings).toEqual(["pending", "ignored", "", "ignored", "pending", "granted"]);
  });
});
