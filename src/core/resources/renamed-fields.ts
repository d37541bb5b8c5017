import type { Schema, ValidationRule } from "../../schema/structural-schema.ts";
import { has } from "./reading.ts";

/** A name from the proposal this API grew out of: what it was, and what to write today. */
export interface RenamedField {
  readonly type: "string" | "object" | "integer";
  readonly use: string;
}

/**
 * The old names stay in the schema, so that whoever writes one is told today's name instead of seeing the field dropped
 * or called unknown. No object can be stored with one.
 */
export function renamedProperties<Names extends string>(
  renamed: Readonly<Record<Names, RenamedField>>,
): Readonly<Record<Names, Schema>> {
  const entries = Object.entries<RenamedField>(renamed);
  const properties = entries.map(([name, { type, use }]) => [
    name,
    { type, description: `Refused. An early name: write ${use} instead.` } as const,
  ]);
  return Object.fromEntries(properties) as Readonly<Record<Names, Schema>>;
}

export function renamedRules(renamed: Readonly<Record<string, RenamedField>>): readonly ValidationRule[] {
  return Object.entries(renamed).map(([name, { use }]) => ({
    rule: `!has(self.${name})`,
    message: `${name} is not a field of this version: write ${use} instead`,
    reason: "FieldValueForbidden",
    fieldPath: `.${name}`,
    holds: (self) => !has(self, name),
  }));
}
