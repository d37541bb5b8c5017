import { type Parsed, typeInvalid } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { isJsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { type CompiledSchema, compileSchema } from "@milo-quota/kubernetes/schema/compiled-schema.ts";
import type { Infer } from "@milo-quota/kubernetes/schema/infer.ts";
import type { KindDefinition } from "@milo-quota/kubernetes/schema/kind-definition.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { walkObject, walkValue } from "@milo-quota/kubernetes/schema/walk.ts";
import { metadataSchema } from "../../core/resources/fields/metadata-schema.ts";

/** An object as an API server returns it. */
export type TenantObject<S extends Schema> = Infer<S> & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
};

const compiledMetadata = compileSchema(metadataSchema);

/** Parses objects of one kind. The API server has checked immutable fields when it stored them. */
export function tenantParser<S extends Schema>(definition: KindDefinition & { readonly schema: S }) {
  let compiled: CompiledSchema | undefined;
  const { kind, group, version } = definition;
  return (value: JsonValue): Parsed<TenantObject<S>> => {
    compiled ??= compileSchema(definition.schema);
    if (!isJsonObject(value)) return { ok: false, issues: [typeInvalid("", "", `must be a ${kind}`)] };
    const content = walkObject(compiled, value);
    const metadata = walkValue(compiledMetadata, { metadata: value["metadata"] ?? {} });
    const issues = [...metadata.issues, ...content.issues];
    if (issues.length > 0) return { ok: false, issues };
    const head = { apiVersion: `${group}/${version}`, kind };
    return { ok: true, value: { ...(content.value as object), ...(metadata.value as object), ...head } as never };
  };
}
