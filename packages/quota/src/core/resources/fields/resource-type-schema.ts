import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";

/** Whatever the platform team calls what it counts; only spaces and control characters are out. */
export const resourceTypeSchema = {
  type: "string",
  minLength: 1,
  maxLength: 253,
  pattern: "^[!-~]+$",
} as const satisfies Schema;
