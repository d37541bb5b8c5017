import type { CompiledSchema } from "@milo-quota/kubernetes/schema/compiled-schema.ts";

const determinedCache = new WeakMap<CompiledSchema, boolean>();

/**
 * Whether values of a schema with the same text are equal for every rule. Not where there may be doubles: minus zero is
 * written as zero.
 */
export function isDeterminedByText(compiled: CompiledSchema): boolean {
  const cached = determinedCache.get(compiled);
  if (cached !== undefined) return cached;
  // A recursive schema counts as undetermined while it is being checked.
  determinedCache.set(compiled, false);
  const isTold = isExact(compiled) && childrenOf(compiled).every(isDeterminedByText);
  determinedCache.set(compiled, isTold);
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
