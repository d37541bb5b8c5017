import type { StoredBucket } from "@milo-quota/quota/controllers/writer/buckets/stored-bucket.ts";
import { ConsumerState } from "@milo-quota/quota/controllers/writer/consumer-state.ts";
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
const [uid, claimKey] = ["u1", { plane: "root", namespace: "default", name: "both" }];
const { signal } = new AbortController();
let versions = 0;

/** A bucket with reservations of these attempts for the claim. */
function bucket(resourceType: string, ...attempts: readonly string[]): StoredBucket {
  versions += 1;
  const empty = unstoredBucket(resourceType);
  const reservations = attempts.map((attempt) => ({
    claim: { uid, namespace: claimKey.namespace, name: claimKey.name },
    amount: 1n as never,
    dimensionKey: "",
    attempt,
    forced: false,
    expirationTime: "",
  }));
  return {
    ...empty,
    version: `${versions}`,
    content: { ...empty.content, reservations },
    uid: resourceType,
    namespace: "default",
    name: resourceType,
    generation: 1,
    conditions: [],
    finalizers: [],
    deleting: false,
  };
}

/** A consumer with a claim for both types, which has a reservation in the bucket of cpu only. */
function stateWithIncompleteAttempt(attempt: string): ConsumerState {
  const state = new ConsumerState(key);
  const manifest = claim(claimKey.name, ...types.map((resourceType) => ({ resourceType })));
  const parsed = parseResourceClaim({
    ...manifest,
    metadata: { ...claimKey, plane: undefined, uid, resourceVersion: "1" },
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  const record = { uid, version: "1", consumer: key.consumer, state: "pending", deleting: false, parts: [] };
  state.observe(claimKey, { ...record, open: parsed.value, automatic: undefined } as ClaimRecord);
  read(state, bucket("cpu", attempt), bucket("disk"));
  state.beginCount();
  state.finishCount(0);
  return state;
}

function read(state: ConsumerState, ...buckets: readonly StoredBucket[]): void {
  for (const each of buckets) {
    state.putBucket(each.resourceType, each);
    adoptBucket(state.ledger, each, "complete");
  }
}

/** Returns the attempts that were dropped, and the buckets that were fenced for that. */
async function recovered(
  state: ConsumerState,
): Promise<readonly [dropped: readonly string[], fenced: readonly string[]]> {
  const fenced: string[] = [];
  const context = {
    deps: { buckets: { read: async (_: unknown, type: string) => state.buckets.get(type) }, observer: {} },
    statuses: {},
    failures: {},
    writes: {
      fence: async (type: string) => {
        fenced.push(type);
        const attempts = state.buckets.get(type)?.content.reservations.map(({ attempt }) => attempt) ?? [];
        state.bucketWritten(type, bucket(type, ...attempts));
      },
    },
  };
  const dropped = await recoverAll(state, context as never, signal);
  return [[...dropped], fenced];
}

it("an incomplete attempt is dropped once all buckets of its claim were written after it", async () => {
  const state = stateWithIncompleteAttempt("theirs");
  expect(await recovered(state)).toEqual([["theirs"], types]);
});

it("a later incomplete attempt of our own needs fences again: its writes may still be in flight", async () => {
  const state = stateWithIncompleteAttempt("theirs");
  await recovered(state);
  state.bucketWritten("cpu", bucket("cpu", "ours"));
  adoptBucket(state.ledger, state.buckets.get("cpu") as StoredBucket, "complete");
  expect(await recovered(state)).toEqual([["ours"], types]);
});
