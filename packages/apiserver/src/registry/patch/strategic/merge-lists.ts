import { type JsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { goType, printed } from "../go-format.ts";
import { failureWithoutReasonError, PatchRejected } from "../patch-errors.ts";
import { directiveOf, unknownDirective } from "./directives.ts";
import { applyElementOrder, identityOf } from "./element-order.ts";

type List = readonly JsonValue[];

export type MergeItems = (original: JsonObject, patch: JsonObject) => JsonObject;

export function mergeLists(original: List, patch: List, mergeKey: string, mergeItems: MergeItems): List {
  if (original.length === 0 && patch.length === 0) return original;
  if (elementType(original, patch) !== "map[string]interface {}") {
    return applyElementOrder([...new Set([...original, ...patch])], patch, [...new Set(original)], mergeKey);
  }
  if (mergeKey === "") throw failureWithoutReasonError("cannot merge lists without merge key for struct");
  const [kept, additions] = applyItemDirectives(original, patch, mergeKey);
  return applyElementOrder(mergeMaps(kept, additions, mergeKey, mergeItems), additions, kept, mergeKey);
}

/** Removes primitives from a list; missing ones are ignored. */
export function deleteFromList(original: List, patch: List): List {
  if (original.length === 0 && patch.length === 0) return original;
  elementType(original, patch);
  const deleted = new Set(patch);
  return original.filter((item) => !deleted.has(item));
}

/** All items of both lists must have one type, which is not a list. */
export function elementType(original: List, patch: List): string {
  const types = new Set([...original, ...patch].map(goType));
  const [type] = types;
  if (type === undefined) throw failureWithoutReasonError("no elements in any of the given slices");
  if (type === "[]interface {}") throw new PatchRejected("lists of lists are not supported");
  if (types.size > 1 || type === "<nil>") {
    throw failureWithoutReasonError(`list element types are not identical: ${printed([original, patch])}`);
  }
  return type;
}

/** Applies `$patch` directives of items: they delete, or make the patch replace the list. */
function applyItemDirectives(original: List, patch: List, mergeKey: string): [original: List, patch: List] {
  const plain = patch.filter((item) => directiveOf(item) === undefined);
  const directives = patch.filter((item) => directiveOf(item) !== undefined) as readonly JsonObject[];
  const deleted = new Set<JsonValue>();
  for (const item of directives) {
    const directive = directiveOf(item);
    if (directive === "merge") throw failureWithoutReasonError("merging lists cannot yet be specified in the patch");
    if (directive === "delete") deleted.add(identityOf(item, mergeKey));
    else if (directive !== "replace") throw unknownDirective(directive as JsonValue, item);
  }
  if (directives.some((item) => directiveOf(item) === "replace")) return [plain, []];
  const isDeleted = (item: JsonValue): boolean => deleted.has(ownValue(item as JsonObject, mergeKey) as JsonValue);
  return [deleted.size === 0 ? original : original.filter((item) => !isDeleted(item)), plain];
}

/** The first item with an identity is merged into. */
function mergeMaps(original: List, patch: List, mergeKey: string, mergeItems: MergeItems): List {
  const merged = [...original];
  const indexes = new Map<JsonValue | undefined, number>();
  for (const [index, item] of original.entries()) {
    const identity = ownValue(item as JsonObject, mergeKey);
    if (!indexes.has(identity)) indexes.set(identity, index);
  }
  for (const item of patch) {
    const identity = identityOf(item, mergeKey);
    const at = indexes.get(identity);
    if (at === undefined) indexes.set(identity, merged.push(item) - 1);
    else merged[at] = mergeItems(merged[at] as JsonObject, item as JsonObject);
  }
  return merged;
}
