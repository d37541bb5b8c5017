import type { ConsumerRef, GroupKind } from "../core/resources/fields/consumer-ref.ts";

/** Consumers that were made a moment ago: what their quota needs is being made for them. Known where tenants are kept. */
export interface Newcomers {
  /** How long ago a consumer was made; undefined when it is not there, is going, or nobody here knows its kind. */
  ageMs(consumer: ConsumerRef, plane: string, signal: AbortSignal): Promise<number | undefined>;
  /** Whether policies grant something to objects of this kind as they come. */
  areGranted(kind: GroupKind): boolean;
}

export const noNewcomers: Newcomers = { ageMs: () => Promise.resolve(undefined), areGranted: () => false };
