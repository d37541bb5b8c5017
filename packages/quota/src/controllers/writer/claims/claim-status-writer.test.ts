import { describe, expect, it } from "vitest";
import { parseResourceClaim, type ResourceClaim } from "../../../core/resources/resource-claim.ts";
import { ClaimRecords } from "../../../views/claim-record.ts";
import { ConsumerState } from "../consumer-state.ts";
import type { WriterDeps } from "../writer-deps.ts";
import { ClaimStatusWriter } from "./claim-status-writer.ts";

const { signal } = new AbortController();
const consumer = { apiGroup: "", kind: "Namespace", namespace: "", name: "web" };

function claim(): ResourceClaim {
  const parsed = parseResourceClaim({
    apiVersion: "quota.miloapis.com/v1alpha1",
    kind: "ResourceClaim",
    metadata: { name: "c", namespace: "web", uid: "u", resourceVersion: "7", generation: 1 },
    spec: { consumerRef: { kind: "Namespace", name: "web" }, requests: [{ resourceType: "cpus", amount: 1 }] },
  });
  if (!parsed.ok) throw new Error("not a claim");
  return parsed.value;
}

describe("writing the status of a claim that is gone", () => {
  it("requeues its consumer: no watch may ever show that claim", async () => {
    const state = new ConsumerState({ plane: "root", consumer });
    state.observe({ plane: "root", namespace: "web", name: "c" }, new ClaimRecords().of(claim()));
    const requeued: string[] = [];
    const deps = {
      leadership: { fence: () => undefined },
      claims: { write: async () => ({ outcome: "gone" }) },
      registrations: { byResourceType: () => [] },
      consumers: { uidOf: () => undefined },
      runtime: { clock: { now: () => 0 } },
      requeue: (id: string) => requeued.push(id),
    } as unknown as WriterDeps;
    expect(state.openCount).toBe(1);
    await new ClaimStatusWriter(state, deps, signal).commit("u");
    expect([state.openCount, state.ledger.knowledgeOf("u")?.state, requeued]).toEqual([0, "gone", [state.id]]);
  });
});
