import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import { describe, expect, it } from "vitest";
import { renderedClaim, request, storedClaim } from "../../../test/claim-fixtures.ts";
import type { AllowanceBucket } from "../../core/resources/allowance-bucket.ts";
import { Units } from "../units.ts";
import { explanationText, isAboutBucket } from "./explain-claim.ts";

const plane = { plane: { plane: "root" } } as unknown as KubeClient;
const units = new Units([]);

/** The explanation of a claim for 2 that holds this much. */
function explain(held: number): string {
  const allocations = [
    {
      resourceType: "apps/replicas",
      status: "Granted",
      allocatedAmount: held,
      lastTransitionTime: "2026-01-01T00:00:00Z",
    },
  ];
  const rendered = renderedClaim({ requests: [request("apps/replicas", 2)] });
  const claim = storedClaim({ state: "granted", allocations, rendered });
  return explanationText({ source: "claim", plane, claim }, units);
}

it("a claim that was lowered is explained with what it holds", () => {
  expect(explain(2)).toContain("  outcome   granted: the quota is allocated until the claim is deleted\n");
  expect(explain(2)).not.toContain("  holds ");
  expect(explain(1)).toContain(
    "  outcome   granted, and lowered since, because its object needs less\n  holds     1 of apps/replicas\n",
  );
});

describe("a rejected dry run is about a bucket", () => {
  const consumer = { apiGroup: "", kind: "Namespace", namespace: "", name: "a" };
  const about = (message: string, dimensions = {}): boolean => {
    const result = { verdict: "does not fit", message } as const;
    const bucket = { resourceType: "core/disk", consumer, dimensions, metadata: {} } as AllowanceBucket;
    return isAboutBucket({ source: "dry-run", plane, object: "ConfigMap/a/b", result }, bucket);
  };
  const cases: Record<string, [message: string, dimensions: Record<string, string>, expected: boolean]> = {
    "with its resource type": ['x: core/disk for Namespace "a": requested 1', {}, true],
    "with a display name": ['x: core/disk "Disk \\"space\\"" for Namespace "a": requested 1', {}, true],
    "with a display name and dimensions": ['core/disk "D" (l=a) for Namespace "a": requested 1', { l: "a" }, true],
    "but not with other dimensions": ['core/disk "D" (l=b) for Namespace "a": requested 1', { l: "a" }, false],
    "but not with another consumer": ['core/disk for Namespace "b": requested 1', {}, false],
    "but not with another resource type": ['core/disks for Namespace "a": requested 1', {}, false],
  };
  for (const [name, [message, dimensions, expected]] of Object.entries(cases)) {
    it(name, () => expect(about(message, dimensions)).toBe(expected));
  }
});
