import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { failureWithoutReasonError } from "../patch-errors.ts";

/** How a field is patched. */
export interface FieldRules {
  /** Of the field's value, or of list items; undefined where any value is allowed. */
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
    throw failureWithoutReasonError("expected slice or array type, but got: struct");
  }
  if (found.items?.type === "array") throw failureWithoutReasonError("unexpected slice of slice");
  return rulesOf(found, found.items);
}

/** Undefined where the schema allows any field; as in Kubernetes, maps of objects cannot be merged. */
function fieldSchema(schema: Schema | undefined, field: string): Schema | undefined {
  if (schema === undefined) return undefined;
  if (schema.properties !== undefined && Object.hasOwn(schema.properties, field)) return schema.properties[field];
  if (typeof schema.additionalProperties === "object") {
    throw failureWithoutReasonError("merging an object in json but data type is not struct, instead is: map");
  }
  const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true || schema.additionalProperties === true;
  if (isOpen || schema.properties === undefined) return undefined;
  const name = schema.title ?? "object";
  throw failureWithoutReasonError(`unable to find api field in struct ${name} for the json field ${quote(field)}`);
}

function rulesOf(field: Schema, schema: Schema | undefined): FieldRules {
  const strategies = (field["x-kubernetes-patch-strategy"] ?? "").split(",");
  const others = strategies.filter((strategy) => strategy !== "retainKeys");
  if (strategies.length > 2 || others.length > 1) {
    throw failureWithoutReasonError(`unexpected patch strategy: [${strategies.join(" ")}]`);
  }
  const strategy = others[0] === "merge" || others[0] === "replace" ? others[0] : "";
  return { schema, strategy, mergeKey: field["x-kubernetes-patch-merge-key"] ?? "" };
}
