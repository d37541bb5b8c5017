import { ConsumerState } from "@milo-quota/quota/controllers/writer/consumer-state.ts";
import type { StoredPage } from "@milo-quota/quota/controllers/writer/pages/stored-page.ts";
import { recoverAll } from "@milo-quota/quota/controllers/writer/recovery.ts";
import { unstoredBucket } from "@milo-quota/quota/core/ledger/ledger-bucket.ts";
import { adoptBucket } from "@milo-quota/quota/core/ledger/rewrite.ts";
import { parseResourceClaim } from "@milo-quota/quota/core/resources/resource-claim.ts";
import type { ClaimRecord } from "@milo-quota/quota/views/claim-record.ts";
import { expect, it } from "vitest";
import { claim } from "./claims.ts";

const key = {
  plane: "root",
  consumer: { apiGroup: "resourcemanager.miloapis.com", kind: "Organization", namespace: "", name: "acme" },
};
const types = ["cpu", "disk"];
const [uid, place] = ["u1", { plane: "root", namespace: "default", name: "both" }];
const { signal } = new AbortController();
let versions = 0;

/** A page that promises these attempts to the claim. */
function page(resourceType: string, ...attempts: readonly string[]): StoredPage {
  versions += 1;
  const empty = unstoredBucket(resourceType);
  const reservations = attempts.map((attempt) => ({
    claim: { uid, namespace: place.namespace, name: place.name },
    amount: 1n as never,
    dimensionKey: "",
    attempt,
    forced: false,
    expirationTime: "",
  }));
  const content = { ...empty.content, reservations };
  const stored = { ...empty, version: `${versions}`, content };
  return {
    page: stored,
    uid: resourceType,
    namespace: "default",
    name: resourceType,
    generation: 1,
    conditions: [],
    finalizers: [],
    deleting: false,
  };
}

/** A consumer with a claim for both, of which the page of cpu alone has a promise. */
function stateWithHalfPromise(attempt: string): ConsumerState {
  const state = new ConsumerState(key);
  const manifest = claim(place.name, ...types.map((resourceType) => ({ resourceType })));
  const parsed = parseResourceClaim({
    ...manifest,
    metadata: { ...place, plane: undefined, uid, resourceVersion: "1" },
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  const record = { uid, version: "1", consumer: key.consumer, state: "pending", deleting: false, parts: [] };
  state.observe(place, { ...record, open: parsed.value, automatic: undefined } as ClaimRecord);
  read(state, page("cpu", attempt), page("disk"));
  state.beginCount();
  state.finishCount(0);
  return state;
}

function read(state: ConsumerState, ...pages: readonly StoredPage[]): void {
  for (const each of pages) {
    state.putPage(each.page.resourceType, each);
    adoptBucket(state.ledger, each.page, "complete");
  }
}

/** Returns the attempts that were given up, and the pages that were fenced for it. */
async function recovered(
  state: ConsumerState,
): Promise<readonly [dropped: readonly string[], fenced: readonly string[]]> {
  const fenced: string[] = [];
  const hands = {
    deps: { pages: { read: async (_: unknown, type: string) => state.pages.get(type) }, observer: {} },
    answers: {},
    failures: {},
    writes: {
      fence: async (type: string) => {
        fenced.push(type);
        const attempts = state.pages.get(type)?.page.content.reservations.map(({ attempt }) => attempt) ?? [];
        state.wrotePage(type, page(type, ...attempts));
      },
    },
  };
  const dropped = await recoverAll(state, hands as never, signal);
  return [[...dropped], fenced];
}

it("a half promise is given up once all pages of its claim were written after it", async () => {
  const state = stateWithHalfPromise("theirs");
  expect(await recovered(state)).toEqual([["theirs"], types]);
});

it("half a promise of our own after that is given up no sooner: what we sent may still arrive", async () => {
  const state = stateWithHalfPromise("theirs");
  await recovered(state);
  state.wrotePage("cpu", page("cpu", "ours"));
  adoptBucket(state.ledger, (state.pages.get("cpu") as StoredPage).page, "complete");
  expect(await recovered(state)).toEqual([["ours"], types]);
});
