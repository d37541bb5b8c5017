import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { plainFailure } from "../patch-failure.ts";

/** How a field is patched. */
export interface FieldRules {
  /** Of the field's value, or of the items of a list; undefined where anything goes. */
  readonly schema: Schema | undefined;
  readonly strategy: "merge" | "replace" | "";
  /** Empty for lists of primitives. */
  readonly mergeKey: string;
}

const anything: FieldRules = { schema: undefined, strategy: "", mergeKey: "" };

export function mapRules(schema: Schema | undefined, field: string): FieldRules {
  const found = fieldSchema(schema, field);
  return found === undefined ? anything : rulesOf(found, found);
}

export function listRules(schema: Schema | undefined, field: string): FieldRules {
  const found = fieldSchema(schema, field);
  if (found === undefined) return anything;
  if (found.type !== undefined && found.type !== "array") {
    throw plainFailure("expected slice or array type, but got: struct");
  }
  if (found.items?.type === "array") throw plainFailure("unexpected slice of slice");
  return rulesOf(found, found.items);
}

/** Undefined where a schema lets anything in; a map of objects cannot be merged into, as in Kubernetes. */
function fieldSchema(schema: Schema | undefined, field: string): Schema | undefined {
  if (schema === undefined) return undefined;
  if (schema.properties !== undefined && Object.hasOwn(schema.properties, field)) return schema.properties[field];
  if (typeof schema.additionalProperties === "object") {
    throw plainFailure("merging an object in json but data type is not struct, instead is: map");
  }
  const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true || schema.additionalProperties === true;
  if (isOpen || schema.properties === undefined) return undefined;
  const name = schema.title ?? "object";
  throw plainFailure(`unable to find api field in struct ${name} for the json field ${quote(field)}`);
}

function rulesOf(field: Schema, schema: Schema | undefined): FieldRules {
  const strategies = (field["x-kubernetes-patch-strategy"] ?? "").split(",");
  const others = strategies.filter((strategy) => strategy !== "retainKeys");
  if (strategies.length > 2 || others.length > 1) {
    throw plainFailure(`unexpected patch strategy: [${strategies.join(" ")}]`);
  }
  const strategy = others[0] === "merge" || others[0] === "replace" ? others[0] : "";
  return { schema, strategy, mergeKey: field["x-kubernetes-patch-merge-key"] ?? "" };
}
