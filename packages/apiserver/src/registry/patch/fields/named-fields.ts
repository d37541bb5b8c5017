import type { FieldNode, FieldSet } from "./field-set.ts";
import type { MergeType } from "./merge-type.ts";
import { memberType } from "./type-variant.ts";

/**
 * Adds struct fields that are implied by members below them: an owner of `a.b.c` also owns `a` if it is a struct field,
 * but not if it is a map member.
 */
export function withNamedFields(type: MergeType | undefined, set: FieldSet): FieldSet {
  const result = new Map<string, FieldNode>();
  for (const [text, node] of set) result.set(text, namedNode(type, node));
  return result;
}

function namedNode(type: MergeType | undefined, { element, isMember, below }: FieldNode): FieldNode {
  const isNamed = element.kind === "field" && type?.map?.fields.has(element.name) === true;
  return { element, isMember: isMember || isNamed, below: withNamedFields(childType(type, element), below) };
}

function childType(type: MergeType | undefined, element: FieldNode["element"]): MergeType | undefined {
  if (element.kind === "field") return type?.map === undefined ? undefined : memberType(type.map, element.name);
  return element.kind === "key" ? type?.list?.items : undefined;
}
