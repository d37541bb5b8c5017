import type { ApiResponse } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import type { StoredObject } from "../../storage/stored-object.ts";
import { planesListObject, planesListText } from "../all-planes.ts";
import { listObject, listText, objectText, renderedObject } from "./representation.ts";
import { textResponse } from "./responses.ts";
import type { ListMetadata, ViewOptions } from "./view-options.ts";

export function objectResponse(code: number, stored: StoredObject, viewOptions: ViewOptions): ApiResponse {
  const text = objectText(stored, viewOptions);
  const { headers, body } = textResponse(code, text, viewOptions.accepted);
  if (viewOptions.accepted.format !== "json") return { code, headers, body };
  return { code, headers, body, object: () => renderedObject(stored, text) };
}

/** A list response. Its text, which may be long, is serialized when it is read. */
export function listResponse(
  items: readonly StoredObject[],
  metadata: ListMetadata,
  viewOptions: ViewOptions,
): ApiResponse {
  const { accepted, kindIn } = viewOptions;
  const [writeList, makeList] =
    kindIn === undefined ? [listText, listObject] : ([planesListText, planesListObject] as const);
  const inText = (): ApiResponse => textResponse(200, writeList(items, metadata, viewOptions), accepted);
  if (accepted.format !== "json" || accepted.representation !== "object") return inText();
  return {
    code: 200,
    headers: { "content-type": "application/json" },
    get body() {
      return inText().body;
    },
    object: () => makeList(items, metadata, viewOptions),
  };
}
