import { type Enforcement, enforcements } from "../core/resources/enforcement.ts";

const enforcementMetric = /^milo_quota_enforcement\{mode="(\w+)"\} 1$/;

/** The enforcement mode that a line of the server's metrics reports; undefined for other lines. */
export function enforcementIn(metricLine: string): Enforcement | undefined {
  const [, mode] = enforcementMetric.exec(metricLine) ?? [];
  return enforcements.find((each) => each === mode);
}
