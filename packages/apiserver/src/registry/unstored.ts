import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import type { ObjectKey } from "../storage/object-key.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import type { ApiObject } from "./kinds/api-object.ts";

/** An object as a dry run answers with it: it looks stored, and is not. */
export function unstored(key: ObjectKey, object: ApiObject): StoredObject {
  return { key, revision: 0, object, text: writeJson(object) };
}
