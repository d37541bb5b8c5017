import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { aliasRule } from "../parsing/alias-rule.ts";
import { conditionsSchema, observedGenerationSchema } from "./conditions.ts";

export const switchProperties = {
  disabled: { type: "boolean", description: "Set to true to switch the policy off." },
  enabled: { type: "boolean", description: "Opposite of disabled. Set only one of the two." },
} as const satisfies Readonly<Record<string, Schema>>;

export const switchRule = aliasRule("disabled", "enabled");

/** The status fields that all policies have. */
export function policyStatusProperties(reasons: Readonly<Record<string, readonly string[]>>, description: string) {
  return {
    observedGeneration: observedGenerationSchema,
    enabled: {
      type: "boolean",
      description: "Whether the policy is switched on, from disabled or enabled of the spec.",
    },
    conditions: conditionsSchema(reasons, description),
  } as const satisfies Readonly<Record<string, Schema>>;
}

export function isEnabled(spec: { readonly disabled?: boolean; readonly enabled?: boolean }): boolean {
  return spec.enabled ?? spec.disabled !== true;
}
