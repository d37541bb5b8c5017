import type { ApiStatus } from "./api-status.ts";
import type { KubernetesObject } from "./object-meta.ts";

/** The answer of admission. */
export type Verdict<Transaction = never> =
  | Allowed<Transaction>
  | { readonly allowed: false; readonly status: ApiStatus };

export interface Allowed<Transaction = never> {
  readonly allowed: true;
  /** Called once, when the outcome is known. */
  readonly onSettled?: (outcome: StorageOutcome) => void;
  /** Changes to store in one transaction with the object, if the server is in the same process. */
  readonly transaction?: Transaction | undefined;
}

/** Whether an admitted object was stored. */
export type StorageOutcome = { readonly stored: true; readonly object: KubernetesObject } | { readonly stored: false };
