import { describe, expect, it } from "vitest";
import { ClaimRecords } from "../../../src/controllers/views/claim-record.ts";
import { Desk } from "../../../src/controllers/writer/desk.ts";
import { DeskAnswers } from "../../../src/controllers/writer/desk-answers.ts";
import type { DeskPorts } from "../../../src/controllers/writer/ports.ts";
import { parseResourceClaim, type ResourceClaim } from "../../../src/core/resources/resource-claim.ts";

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

describe("an answer to a claim that is not there any more", () => {
  it("has its desk looked at again: nobody else may ever tell of it", async () => {
    const desk = new Desk({ plane: "root", consumer });
    desk.observe({ plane: "root", namespace: "web", name: "c" }, new ClaimRecords().of(claim()));
    const looked: string[] = [];
    const ports = {
      leadership: { fence: () => undefined },
      claims: { write: async () => ({ outcome: "gone" }) },
      registrations: { byResourceType: () => [] },
      runtime: { clock: { now: () => 0 } },
      lookAgain: (id: string) => looked.push(id),
    } as unknown as DeskPorts;
    expect(desk.openCount).toBe(1);
    await new DeskAnswers(desk, ports, signal).commit("u");
    expect([desk.openCount, desk.ledger.knowledgeOf("u")?.state, looked]).toEqual([0, "gone", [desk.id]]);
  });
});
