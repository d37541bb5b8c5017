import type { Enforcement } from "./enforcement.ts";

/** Settings of the operator for the whole system, fixed at its start. */
export interface QuotaOptions {
  readonly enforcement: Enforcement;
  /** The last sentence of a rejection for quota: what the user can do about it. */
  readonly advice: string;
}

export const defaultQuotaOptions: QuotaOptions = {
  enforcement: "Enforce",
  advice: "Delete resources you no longer need, or ask your platform team to raise the limit.",
};
