import { describe, expect, it } from "vitest";
import type { DraftObject } from "../../typed/go-round-trip.ts";
import { addDefaultTolerations, defaultPriority, syncPodIps } from "./pod-scheduling.ts";

function changed(change: (draft: DraftObject) => void, draft: DraftObject): DraftObject {
  change(draft);
  return draft;
}

const away = (key: string): DraftObject => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 });
const notReady = "node.kubernetes.io/not-ready";
const unreachable = "node.kubernetes.io/unreachable";

describe("a pod", () => {
  const tolerations: Readonly<Record<string, readonly [DraftObject[], readonly DraftObject[]]>> = {
    "tolerates an unreachable node for five minutes": [[], [away(notReady), away(unreachable)]],
    "keeps its own toleration of one of the two": [
      [{ key: notReady, operator: "Exists", tolerationSeconds: 5 }],
      [{ key: notReady, operator: "Exists", tolerationSeconds: 5 }, away(unreachable)],
    ],
    "that tolerates everything gets no tolerations": [[{ operator: "Exists" }], [{ operator: "Exists" }]],
    "gets tolerations beside one with another effect": [
      [{ key: notReady, operator: "Exists", effect: "NoSchedule" }],
      [{ key: notReady, operator: "Exists", effect: "NoSchedule" }, away(notReady), away(unreachable)],
    ],
  };
  for (const [name, [given, expected]] of Object.entries(tolerations)) {
    it(name, () => {
      const draft = changed(addDefaultTolerations, { spec: { tolerations: given } });
      expect(draft).toEqual({ spec: { tolerations: expected } });
    });
  }

  it("without a class has no priority", () => {
    const spec = { priority: 0, preemptionPolicy: "PreemptLowerPriority" };
    expect(changed(defaultPriority, { spec: {} })).toEqual({ spec });
  });

  it("with a priority class is unchanged", () => {
    expect(changed(defaultPriority, { spec: { priorityClassName: "high" } })).toEqual({
      spec: { priorityClassName: "high" },
    });
  });

  it("with one pod IP has a list with it", () => {
    const status = { podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }] };
    expect(changed(syncPodIps, { status: { podIP: "10.0.0.1" } })).toEqual({ status });
  });
});
