import { isJsonObject, type JsonObject, ownValue } from "../../protocol/json-value.ts";
import { type Call, ConnectionFailed } from "../transport/transport.ts";

/** One page of a list, as the server sent it. */
export interface RawPage {
  readonly items: readonly RawItem[];
  readonly resourceVersion: string;
  /** Token of the next page; empty on the last one. */
  readonly continue: string;
}

export interface RawItem {
  readonly object: JsonObject;
  /** Set only in lists of all planes. */
  readonly plane: string | undefined;
}

/** Items of built-in kinds omit kind and apiVersion; they are added here. */
export function pageIn(call: Call, list: JsonObject): RawPage {
  const { metadata, items, planes, kind, apiVersion } = list;
  if (!isJsonObject(metadata) || typeof metadata["resourceVersion"] !== "string") {
    throw new ConnectionFailed(call, "the server's response is not a list");
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
