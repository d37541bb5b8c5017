import type { CompiledSchema } from "@milo-quota/kubernetes/schema/compiled-schema.ts";

const told = new WeakMap<CompiledSchema, boolean>();

/**
 * Whether two values of a schema are the same for every rule if their texts are. Not where there may be numbers with a
 * point: minus zero is written as zero.
 */
export function isDeterminedByText(compiled: CompiledSchema): boolean {
  const known = told.get(compiled);
  if (known !== undefined) return known;
  // A schema that holds itself is not told while somebody is finding out.
  told.set(compiled, false);
  const isTold = isExact(compiled) && childrenOf(compiled).every(isDeterminedByText);
  told.set(compiled, isTold);
  return isTold;
}

function isExact({ schema, additional, junctors }: CompiledSchema): boolean {
  const isTyped = schema.type !== undefined && schema.type !== "number";
  return isTyped && additional !== true && junctors === undefined;
}

function childrenOf({ properties, additional, items }: CompiledSchema): readonly CompiledSchema[] {
  const children = [...properties.values()];
  if (typeof additional === "object") children.push(additional);
  if (items !== undefined) children.push(items);
  return children;
}
