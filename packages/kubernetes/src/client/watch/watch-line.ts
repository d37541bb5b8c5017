import { type ApiStatus, parseStatus } from "../../protocol/api-status.ts";
import { JsonSyntaxError, readJson } from "../../protocol/json-reader.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "../../protocol/json-value.ts";
import type { KubernetesObject } from "../../protocol/object-meta.ts";
import { type Bookmark, endsInitialEvents } from "../../protocol/watch-event.ts";
import type { StreamEvent } from "../transport/transport.ts";

/** A parsed line of a watch. */
export type WatchLine =
  | {
      readonly type: "present" | "gone";
      readonly object: JsonObject;
      readonly revision: string;
      readonly plane?: string;
    }
  | { readonly type: "bookmark"; readonly revision: string; readonly endsInitialEvents: boolean }
  | { readonly type: "error"; readonly status: ApiStatus };

/** An invalid line. The event in it is lost, so everything has to be listed again. */
export class UnreadableLine extends Error {
  override readonly name = "UnreadableLine";
}

export function parseWatchLine(line: string | StreamEvent): WatchLine {
  const { type, object, plane } = typeof line === "string" ? eventIn(line) : line;
  switch (type) {
    case "ADDED":
    case "MODIFIED":
      return { type: "present", object, revision: revisionOf(object), ...planePart(plane) };
    case "DELETED":
      return { type: "gone", object, revision: revisionOf(object), ...planePart(plane) };
    case "BOOKMARK":
      return {
        type: "bookmark",
        revision: revisionOf(object),
        endsInitialEvents: endsInitialEvents(object as unknown as KubernetesObject as Bookmark),
      };
    case "ERROR":
      return { type: "error", status: statusIn(object) };
    default:
      throw new UnreadableLine(`unknown watch event type ${JSON.stringify(type)}`);
  }
}

function planePart(plane: unknown): { readonly plane?: string } {
  return typeof plane === "string" ? { plane } : {};
}

function eventIn(text: string) {
  const event = jsonIn(text);
  const object = isJsonObject(event) ? ownValue(event, "object") : undefined;
  if (!isJsonObject(event) || !isJsonObject(object)) throw new UnreadableLine("a watch line is not an event");
  return { type: ownValue(event, "type"), object, plane: ownValue(event, "plane") };
}

function revisionOf(object: JsonObject): string {
  const metadata = ownValue(object, "metadata");
  const revision = isJsonObject(metadata) ? ownValue(metadata, "resourceVersion") : undefined;
  if (typeof revision !== "string" || revision === "") throw new UnreadableLine("a watch event has no resourceVersion");
  return revision;
}

function statusIn(object: JsonObject): ApiStatus {
  const status = parseStatus(object);
  if (status === undefined) throw new UnreadableLine("a watch error is not a Status");
  return status;
}

function jsonIn(text: string): JsonValue {
  try {
    return readJson(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new UnreadableLine(`a watch line is not JSON: ${error.message}`);
  }
}
