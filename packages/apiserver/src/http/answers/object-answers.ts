import type { ApiAnswer } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import type { StoredObject } from "../../storage/stored-object.ts";
import { planesListObject, planesListText } from "../all-planes.ts";
import { textAnswer } from "./answers.ts";
import { listObject, listText, objectText, shownObject } from "./representation.ts";
import type { ListMetadata, ViewOptions } from "./view-options.ts";

/** An answer that shows an object. */
export function objectAnswer(code: number, stored: StoredObject, showing: ViewOptions): ApiAnswer {
  const text = objectText(stored, showing);
  const { headers, body } = textAnswer(code, text, showing.accepted);
  if (showing.accepted.format !== "json") return { code, headers, body };
  return { code, headers, body, object: () => shownObject(stored, text) };
}

/** An answer that shows a list. Its text, which may be long, is made when somebody reads it. */
export function listAnswer(items: readonly StoredObject[], metadata: ListMetadata, showing: ViewOptions): ApiAnswer {
  const { accepted, kindIn } = showing;
  const [writeList, makeList] =
    kindIn === undefined ? [listText, listObject] : ([planesListText, planesListObject] as const);
  const inText = (): ApiAnswer => textAnswer(200, writeList(items, metadata, showing), accepted);
  if (accepted.format !== "json" || accepted.representation !== "object") return inText();
  return {
    code: 200,
    headers: { "content-type": "application/json" },
    get body() {
      return inText().body;
    },
    object: () => makeList(items, metadata, showing),
  };
}
