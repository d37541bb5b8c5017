import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";

/** Any name without spaces and control characters. */
export const resourceTypeSchema = {
  type: "string",
  minLength: 1,
  maxLength: 253,
  pattern: "^[!-~]+$",
} as const satisfies Schema;
