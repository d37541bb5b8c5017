import { describe, expect, it } from "vitest";
import { type ClaimParts, stored } from "../../../test/made-claims.ts";
import { type Meaning, Waiter, type WaitResult } from "./waiter.ts";

type Step =
  | { readonly follow: ClaimParts }
  | { readonly saw: ClaimParts }
  | { readonly gone: string }
  | { readonly nothing: string | undefined };

const me = { candidates: "me" } as const;

function play(steps: readonly Step[]): { readonly waiter: Waiter; readonly meanings: readonly (Meaning | "")[] } {
  const waiter = new Waiter({ namespace: "default", name: "claim", candidate: "me" });
  const meanings = steps.map((step): Meaning | "" => {
    if ("saw" in step) return waiter.saw(stored(step.saw));
    if ("gone" in step) return waiter.sawGone(step.gone);
    if ("nothing" in step) return waiter.sawNothing(step.nothing);
    waiter.follow(stored(step.follow));
    return "";
  });
  return { waiter, meanings };
}

/** What it came to; undefined while it waits. */
async function resultOf(waiter: Waiter): Promise<WaitResult["result"] | undefined> {
  return Promise.race([waiter.done.then(({ result }) => result), Promise.resolve().then(() => undefined)]);
}

describe("one who waits", () => {
  const granted = { ...me, state: "granted" } as const;
  const cases: Record<string, [steps: readonly Step[], result: WaitResult["result"] | undefined]> = {
    "waits as long as nothing is known": [[], undefined],
    "is told of the answer after it follows": [[{ follow: me }, { saw: { ...granted, version: 11 } }], "granted"],
    "is told of an answer that came before it could follow": [
      [{ saw: { ...granted, version: 11 } }, { follow: me }],
      "granted",
    ],
    "is told at once when the claim was granted already": [[{ follow: granted }], "granted"],
    "is told that it is denied": [[{ follow: me }, { saw: { ...me, state: "denied", version: 11 } }], "denied"],
    "is told that it cannot be decided": [
      [{ follow: me }, { saw: { ...me, state: "invalid", version: 11 } }],
      "invalid",
    ],
    "goes on waiting while the claim waits": [[{ follow: me }, { saw: { ...me, version: 11 } }], undefined],
    "takes no heed of what the claim was before it was listed": [
      [{ saw: { state: "granted", candidates: "other", version: 9 } }, { follow: me }],
      undefined,
    ],
    "takes no heed of an older claim of the name": [
      [{ saw: { ...granted, uid: "old", version: 8 } }, { gone: "old" }, { follow: me }],
      undefined,
    ],
    "takes no heed of an older claim of the name that it hears of late": [
      [{ follow: me }, { saw: { ...granted, uid: "old", version: 8 } }, { gone: "old" }],
      undefined,
    ],
    "is lost when its claim goes": [[{ follow: me }, { gone: "claim-1" }], "lost"],
    "is lost when its claim went before it could follow": [[{ gone: "claim-1" }, { follow: me }], "lost"],
    "is lost when another claim has the name": [
      [{ follow: me }, { saw: { ...granted, uid: "new", version: 12 } }],
      "lost",
    ],
    "is lost when another claim had the name before it could follow": [
      [{ saw: { ...granted, uid: "new", version: 12 } }, { follow: me }],
      "lost",
    ],
    "is lost when it is not listed any more, granted or not": [
      [{ follow: me }, { saw: { candidates: "other", state: "granted", version: 11 } }],
      "lost",
    ],
    "is lost when there is nothing where its claim should be": [[{ follow: me }, { nothing: "claim-1" }], "lost"],
    "is not lost when somebody looked before its claim was made": [[{ follow: me }, { nothing: undefined }], undefined],
    "is not lost when nothing is there before its claim is made": [[{ nothing: undefined }, { follow: me }], undefined],
    "hears the first answer only": [
      [{ follow: me }, { saw: { ...granted, version: 11 } }, { gone: "claim-1" }],
      "granted",
    ],
  };
  for (const [name, [steps, result]] of Object.entries(cases)) {
    it(name, async () => expect(await resultOf(play(steps).waiter)).toBe(result));
  }

  it("says what everything that it saw meant", () => {
    const { meanings } = play([
      { saw: granted },
      { gone: "old" },
      { follow: me },
      { saw: { ...me, version: 9 } },
      { saw: { ...me, version: 11 } },
      { saw: { ...granted, version: 12 } },
    ]);
    expect(meanings).toEqual(["pending", "ignored", "", "ignored", "pending", "granted"]);
  });
});
