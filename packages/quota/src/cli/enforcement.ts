import { type Enforcement, enforcements } from "../core/resources/enforcement.ts";

/** How a system tells which it is, among its metrics. */
const metric = /^milo_quota_enforcement\{mode="(\w+)"\} 1$/;

/** Undefined when the line is about something else. */
export function enforcementIn(metricLine: string): Enforcement | undefined {
  const [, told] = metric.exec(metricLine) ?? [];
  return enforcements.find((each) => each === told);
}
