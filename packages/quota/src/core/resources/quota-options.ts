import type { Enforcement } from "./enforcement.ts";

/** What an operator decides about quota for the whole system, for as long as it runs. */
export interface QuotaOptions {
  readonly enforcement: Enforcement;
  /** The end of a refusal: what people can do when quota is not enough. */
  readonly advice: string;
}

export const defaultQuotaOptions: QuotaOptions = {
  enforcement: "Enforce",
  advice: "Delete resources you no longer need, or ask your platform team to raise the limit.",
};
