import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "../../../../protocol/json-value.ts";
import { goType, printed } from "../go-format.ts";
import { PatchRejected, plainFailure } from "../patch-failure.ts";
import { directiveOf, unknownDirective } from "./directives.ts";
import { identityOf, ordered } from "./element-order.ts";

type List = readonly JsonValue[];

/** How two maps of a list are merged. */
export type MergeItems = (original: JsonObject, patch: JsonObject) => JsonObject;

export function mergeLists(original: List, patch: List, mergeKey: string, mergeItems: MergeItems): List {
  if (original.length === 0 && patch.length === 0) return original;
  if (elementType(original, patch) !== "map[string]interface {}") {
    return ordered([...new Set([...original, ...patch])], patch, [...new Set(original)], mergeKey);
  }
  if (mergeKey === "") throw plainFailure("cannot merge lists without merge key for struct");
  const [kept, additions] = obeyItems(original, patch, mergeKey);
  return ordered(mergeMaps(kept, additions, mergeKey, mergeItems), additions, kept, mergeKey);
}

/** Takes primitives out of a list; what is not in it does not matter. */
export function deleteFromList(original: List, patch: List): List {
  if (original.length === 0 && patch.length === 0) return original;
  elementType(original, patch);
  const deleted = new Set(patch);
  return original.filter((item) => !deleted.has(item));
}

/** All items of both lists have one type, and it is not a list. */
export function elementType(original: List, patch: List): string {
  const types = new Set([...original, ...patch].map(goType));
  const [type] = types;
  if (type === undefined) throw plainFailure("no elements in any of the given slices");
  if (type === "[]interface {}") throw new PatchRejected("lists of lists are not supported");
  if (types.size > 1 || type === "<nil>") {
    throw plainFailure(`list element types are not identical: ${printed([original, patch])}`);
  }
  return type;
}

/** Items that carry `$patch` delete, or make the patch replace the list. */
function obeyItems(original: List, patch: List, mergeKey: string): [original: List, patch: List] {
  let kept = original;
  const plain = patch.filter((item) => directiveOf(item) === undefined);
  const directives = patch.filter((item) => directiveOf(item) !== undefined) as readonly JsonObject[];
  for (const item of directives) {
    const directive = directiveOf(item);
    if (directive === "merge") throw plainFailure("merging lists cannot yet be specified in the patch");
    if (directive === "delete") kept = deleteItems(kept, identityOf(item, mergeKey), mergeKey);
    else if (directive !== "replace") throw unknownDirective(directive as JsonValue, item);
  }
  return directives.some((item) => directiveOf(item) === "replace") ? [plain, []] : [kept, plain];
}

function deleteItems(items: List, identity: JsonValue, mergeKey: string): List {
  return items.filter((item) => !isJsonObject(item) || ownValue(item, mergeKey) !== identity);
}

function mergeMaps(original: List, patch: List, mergeKey: string, mergeItems: MergeItems): List {
  const merged = [...original];
  for (const item of patch) {
    const identity = identityOf(item, mergeKey);
    const at = merged.findIndex((live) => isJsonObject(live) && ownValue(live, mergeKey) === identity);
    if (at < 0) merged.push(item);
    else merged[at] = mergeItems(merged[at] as JsonObject, item as JsonObject);
  }
  return merged;
}
