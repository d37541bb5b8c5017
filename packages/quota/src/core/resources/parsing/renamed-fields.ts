import { type FieldIssue, forbidden } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";

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
      // Else what is inside is called unknown first, and nobody gets to the hint.
      ...(type === "object" ? { "x-kubernetes-preserve-unknown-fields": true } : {}),
      enum: [`none: write ${use} instead`],
      description: `Refused. An early name: write ${use} instead.`,
    };
    return [name, schema] as const;
  });
  return Object.fromEntries(properties) as Readonly<Record<Names, Schema>>;
}

const hint = /: supported values: "none: write (.+) instead"$/;

/** What an enum says of an early name, in plain words. API servers say it in theirs. */
export function plainly(issue: FieldIssue): FieldIssue {
  const use = issue.type === "FieldValueNotSupported" ? hint.exec(issue.message)?.[1] : undefined;
  return use === undefined ? issue : forbidden(issue.field, `an early name: write ${use} instead`);
}
