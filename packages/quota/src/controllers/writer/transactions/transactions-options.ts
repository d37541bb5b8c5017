import type { ConsumerState } from "../consumer-state.ts";
import type { WriterDeps } from "../writer-deps.ts";

/** Whether a version of a page is the newest there is, and nothing else is about to change it. */
export type IsCurrent = (
  place: { readonly plane: string; readonly namespace: string; readonly name: string },
  version: string,
) => boolean;

export interface TransactionsOptions {
  readonly deps: WriterDeps;
  readonly stateOf: (id: string) => ConsumerState | undefined;
  /** What is known of a consumer may be wrong: it is put together anew from what is stored. */
  readonly rebuild: (id: string) => void;
}
