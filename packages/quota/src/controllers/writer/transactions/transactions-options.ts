import type { ConsumerState } from "../consumer-state.ts";
import type { WriterDeps } from "../writer-deps.ts";

/** Whether a version of a bucket is the latest one, and no other write of it is in flight. */
export type IsCurrent = (
  key: { readonly plane: string; readonly namespace: string; readonly name: string },
  version: string,
) => boolean;

export interface TransactionsOptions {
  readonly deps: WriterDeps;
  readonly stateOf: (id: string) => ConsumerState | undefined;
  /** Rebuilds the state of a consumer from the caches. */
  readonly rebuild: (id: string) => void;
}
