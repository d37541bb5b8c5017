import type { FieldNode, FieldSet } from "./field-set.ts";
import type { MergeType } from "./merge-type.ts";
import { memberType } from "./type-variant.ts";

/**
 * The set with the fields of structs in it that are there only for what is below them: whoever owns `a.b.c` owns `a` as
 * well when it is the field of a struct, but not when it is a member of a map.
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
