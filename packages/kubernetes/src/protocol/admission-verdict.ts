import type { ApiStatus } from "./api-status.ts";
import type { KubernetesObject } from "./object-meta.ts";

/** What becomes of a change that admission is asked about. */
export type Verdict<Together = never> = Allowed<Together> | { readonly allowed: false; readonly status: ApiStatus };

export interface Allowed<Together = never> {
  readonly allowed: true;
  /** Called once, when it is known what became of the object. */
  readonly settled?: (outcome: Outcome) => void;
  /** To be stored in one transaction with the object, where the server is in the same process. */
  readonly together?: Together | undefined;
}

/** What became of an object that was admitted. */
export type Outcome = { readonly stored: true; readonly object: KubernetesObject } | { readonly stored: false };
