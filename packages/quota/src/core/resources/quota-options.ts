import type { Enforcement } from "./enforcement.ts";

/** What an operator decides about quota for the whole system, for as long as it runs. */
export interface QuotaOptions {
  readonly enforcement: Enforcement;
  /** The end of a refusal: what people can do when quota is not enough. */
  readonly advice: string;
}

export const defaultQuotaOptions: QuotaOptions = {
  enforcement: "Enforce",
  advice: "Delete what is not needed any more, or ask your platform team for a larger quota.",
};
