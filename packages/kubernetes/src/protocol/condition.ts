import { extendObject } from "./extend-object.ts";

export type ConditionStatus = "True" | "False" | "Unknown";

export interface Condition {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number | bigint;
}

/** A condition without its transition time. */
export type ConditionState = Omit<Condition, "lastTransitionTime">;

export function findCondition(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/**
 * Sets a condition in a list. The transition time changes only with the status; if nothing changes, the same list is
 * returned, so that callers can skip the write by identity.
 */
export function setCondition(
  conditions: readonly Condition[],
  state: ConditionState,
  now: string,
): readonly Condition[] {
  const before = findCondition(conditions, state.type);
  const lastTransitionTime = before?.status === state.status ? before.lastTransitionTime : now;
  const after: Condition = extendObject(state, { lastTransitionTime });
  if (before === undefined) return [...conditions, after];
  return sameCondition(before, after) ? conditions : conditions.map((each) => (each === before ? after : each));
}

function sameCondition(left: Condition, right: Condition): boolean {
  return (
    left.status === right.status &&
    left.reason === right.reason &&
    left.message === right.message &&
    left.observedGeneration === right.observedGeneration
  );
}
