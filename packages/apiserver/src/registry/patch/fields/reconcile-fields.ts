import type { FieldNode, FieldSet } from "./field-set.ts";
import { isDeducedMap, type MergeType } from "./merge-type.ts";
import { firstVariant, memberType } from "./type-variant.ts";

/**
 * Adapts a set to the current schema: fields that were granular and are atomic now become one field. The reverse is
 * left as it is.
 */
export function reconcileFields(type: MergeType, set: FieldSet): FieldSet {
  let changed: Map<string, FieldNode> | undefined;
  for (const [text, node] of set) {
    const child = childType(type, node);
    const next = child === undefined ? node : reconcileNode(child, node);
    if (next === node) continue;
    changed ??= new Map(set);
    changed.set(text, next);
  }
  return changed ?? set;
}

/** Nodes that already conform to a type: the sets of many objects share most of their nodes. */
const reconciled = new WeakMap<FieldNode, MergeType>();

function reconcileNode(type: MergeType, node: FieldNode): FieldNode {
  if (node.below.size === 0 && node.isMember) return node;
  if (reconciled.get(node) === type) return node;
  const result = reconcileBelow(type, node);
  reconciled.set(result, type);
  return result;
}

function reconcileBelow(type: MergeType, node: FieldNode): FieldNode {
  const form = firstVariant(type);
  if (form.kind === "scalar" || (form.kind === "map" && isDeducedMap(form.type))) return node;
  const isAtomic = form.kind === "map" ? form.type.isAtomic : form.type.kind === "atomic";
  if (isAtomic) return { element: node.element, isMember: true, below: new Map() };
  const below = reconcileFields(type, node.below);
  return below === node.below ? node : { ...node, below };
}

function childType(type: MergeType, { element }: FieldNode): MergeType | undefined {
  const form = firstVariant(type);
  if (form.kind === "scalar") return undefined;
  if (form.kind === "list") return form.type.items;
  return element.kind === "field" ? memberType(form.type, element.name) : form.type.others;
}
