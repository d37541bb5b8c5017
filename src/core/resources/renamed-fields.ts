import type { Schema } from "../../schema/structural-schema.ts";

/** A name from the proposal this API grew out of: what it was, and what to write today. */
export interface RenamedField {
  readonly type: "string" | "object" | "integer";
  readonly use: string;
}

/**
 * The old names stay in the schema, so that whoever writes one is told today's name instead of seeing the field dropped
 * or called unknown. An enum no value can meet refuses them, and its one word is the hint: unlike a rule, an API server
 * checks it even when today's field is missing.
 */
export function renamedProperties<Names extends string>(
  renamed: Readonly<Record<Names, RenamedField>>,
): Readonly<Record<Names, Schema>> {
  const properties = Object.entries<RenamedField>(renamed).map(([name, { type, use }]) => {
    const schema: Schema = {
      type,
      enum: [`none: write ${use} instead`],
      description: `Refused. An early name: write ${use} instead.`,
    };
    return [name, schema] as const;
  });
  return Object.fromEntries(properties) as Readonly<Record<Names, Schema>>;
}
