import { extended } from "./extended.ts";

export type ConditionStatus = "True" | "False" | "Unknown";

export interface Condition {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number | bigint;
}

/** A condition before it is known since when it holds. */
export type ConditionState = Omit<Condition, "lastTransitionTime">;

export function findCondition(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/**
 * Puts a condition into a list. Its transition time moves only when its status does; a list that says all of this
 * already is returned as it is, so callers can see by identity that there is nothing to write.
 */
export function setCondition(
  conditions: readonly Condition[],
  state: ConditionState,
  now: string,
): readonly Condition[] {
  const before = findCondition(conditions, state.type);
  const lastTransitionTime = before?.status === state.status ? before.lastTransitionTime : now;
  const after: Condition = extended(state, { lastTransitionTime });
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
