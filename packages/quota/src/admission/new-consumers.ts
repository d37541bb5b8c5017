import type { ConsumerRef, GroupKind } from "../core/resources/fields/consumer-ref.ts";

/** Consumers created moments ago, whose namespace and first grants controllers are still creating. */
export interface NewConsumers {
  /** Time since the consumer was created. Undefined when it does not exist, is terminating, or is of another kind. */
  ageMs(consumer: ConsumerRef, plane: string, signal: AbortSignal): Promise<number | undefined>;
  /** Whether a grant policy grants quota for objects of this kind. */
  hasGrantPolicyFor(kind: GroupKind): boolean;
}

export const noNewConsumers: NewConsumers = { ageMs: () => Promise.resolve(undefined), hasGrantPolicyFor: () => false };
