import { nanosOf } from "../../resource-names.ts";
import type { Container, PodSpec } from "./pod-object.ts";

const counted = ["cpu", "memory"] as const;

/** The QoS class. */
export function qosClass({ containers, initContainers = [] }: PodSpec): string {
  const all = [...(containers ?? []), ...initContainers];
  const asks = (container: Container, list: "limits" | "requests", name: string): bigint =>
    nanosOf(container.resources?.[list]?.[name]);
  const hasNone = all.every((container) =>
    counted.every((name) => asks(container, "limits", name) === 0n && asks(container, "requests", name) === 0n),
  );
  if (hasNone) return "BestEffort";
  const isGuaranteed = all.every((container) =>
    counted.every((name) => {
      const limit = asks(container, "limits", name);
      return limit > 0n && limit === asks(container, "requests", name);
    }),
  );
  return isGuaranteed ? "Guaranteed" : "Burstable";
}
