import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import type { ObjectKey } from "../storage/object-key.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import type { ApiObject } from "./kinds/api-object.ts";

/** The object in the response to a dry run: it looks stored, but is not. */
export function dryRunResult(key: ObjectKey, object: ApiObject): StoredObject {
  return { key, revision: 0, object, text: writeJson(object) };
}
