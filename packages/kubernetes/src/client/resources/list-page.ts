import { isJsonObject, type JsonObject, ownValue } from "../../protocol/json-value.ts";
import { type Call, ConnectionFailed } from "../transport/transport.ts";

/** A part of a list, as the server sent it. */
export interface RawPage {
  readonly items: readonly RawItem[];
  readonly resourceVersion: string;
  /** What to ask for the next part with; empty when this was the last. */
  readonly continue: string;
}

export interface RawItem {
  readonly object: JsonObject;
  /** Only where objects of all planes are listed at once. */
  readonly plane: string | undefined;
}

/** Items of built-in kinds leave their kind to the list; each gets it back here. */
export function pageIn(call: Call, list: JsonObject): RawPage {
  const { metadata, items, planes, kind, apiVersion } = list;
  if (!isJsonObject(metadata) || typeof metadata["resourceVersion"] !== "string") {
    throw new ConnectionFailed(call, "the server answered with something that is no list");
  }
  const itemType = { kind: String(kind).replace(/List$/, ""), apiVersion: String(apiVersion) };
  const next = ownValue(metadata, "continue");
  return {
    items: (Array.isArray(items) ? items : []).filter(isJsonObject).map((item, at) => ({
      object: ownValue(item, "kind") === undefined ? { ...itemType, ...item } : item,
      plane: Array.isArray(planes) ? String(planes[at]) : undefined,
    })),
    resourceVersion: metadata["resourceVersion"],
    continue: typeof next === "string" ? next : "",
  };
}
