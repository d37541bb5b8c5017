import { failure, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { readJson } from "@milo-quota/kubernetes/protocol/json-reader.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import { formatApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { ApiObject } from "../../registry/kinds/api-object.ts";
import type { ServedKind } from "../../registry/kinds/served-kind.ts";
import { servedObject, servedText } from "../../registry/kinds/served-version.ts";
import type { StoredObject } from "../../storage/stored-object.ts";
import { tableOf } from "./table.ts";
import { type ListMetadata, partial, type ViewOptions } from "./view-options.ts";

export function parseIncludeObject(query: URLSearchParams): string {
  const value = query.get("includeObject") ?? "";
  if (["", "Metadata", "Object", "None"].includes(value)) return value === "" ? "Metadata" : value;
  const fault = `includeObject: Invalid value: ${JSON.stringify(value)}: must be 'Metadata', 'Object', 'None', or empty`;
  throw new StatusError(failure("BadRequest", `Unable to convert to Table as requested: ${fault}`));
}

/** The text of one object. */
export function objectText(stored: StoredObject, showing: ViewOptions): string {
  switch (showing.accepted.representation) {
    case "object":
      return servedText(stored, showing.kind);
    case "Table":
      return writeJson(tableOf([servedObject(stored, showing.kind)], showing, versionOnly(stored)));
    case "PartialObjectMetadata":
      return writeJson(partial(servedObject(stored, showing.kind)));
    case "PartialObjectMetadataList":
      throw new StatusError(
        failure(
          "NotAcceptable",
          `you requested PartialObjectMetadataList, but the requested object is not a list (${goType(showing.kind, "")})`,
        ),
      );
  }
}

/** What such a text holds. Nothing is read when it is that of the stored object, which is nearly always. */
export function shownObject(stored: StoredObject, text: string): JsonObject {
  // What a dry run made went through no store, and may differ from what its text is read as.
  const isStored = text === stored.text && stored.revision > 0;
  return isStored ? stored.object : (readJson(text) as JsonObject);
}

/** The text of a list. Objects that are shown as stored are joined, never parsed. */
export function listText(items: readonly StoredObject[], metadata: ListMetadata, showing: ViewOptions): string {
  const { kind, accepted } = showing;
  switch (accepted.representation) {
    case "object": {
      const head = writeJson(listHead(kind, metadata));
      return `${head.slice(0, -1)},"items":[${items.map((item) => itemText(item, showing)).join(",")}]}`;
    }
    case "Table":
      return writeJson(
        tableOf(
          items.map((item) => servedObject(item, kind)),
          showing,
          metadata,
        ),
      );
    case "PartialObjectMetadata":
      throw new StatusError(
        failure(
          "NotAcceptable",
          `you requested PartialObjectMetadata, but the requested object is a list (${goType(kind, "List")})`,
        ),
      );
    case "PartialObjectMetadataList":
      return writeJson({
        kind: "PartialObjectMetadataList",
        apiVersion: "meta.k8s.io/v1",
        metadata,
        items: items.length === 0 ? null : items.map((item) => partial(servedObject(item, kind))),
      });
  }
}

/** A list of objects in full, without writing and reading it. */
export function listObject(items: readonly StoredObject[], metadata: ListMetadata, showing: ViewOptions): JsonObject {
  const shown = items.map((item) => shownObject(item, ownText(item, showing)));
  return { ...listHead(showing.kind, metadata), items: shown };
}

function listHead(kind: ServedKind, metadata: ListMetadata): JsonObject {
  // Lists of custom kinds always say where they go on, even when they do not.
  const full = kind.isCustom ? { continue: "", ...metadata } : { ...metadata };
  return { kind: kind.listKind, apiVersion: formatApiVersion(kind.group, kind.version), metadata: full };
}

/** What Kubernetes calls the type that it keeps an object in, in front of its clients. */
function goType({ group, kind, isCustom, storedAs }: ServedKind, suffix: "" | "List"): string {
  if (isCustom) return `*unstructured.Unstructured${suffix}`;
  const [name = ""] = group.split(".");
  return `*${name === "" || storedAs !== undefined ? "core" : name}.${kind}${suffix}`;
}

/** Items of built-in kinds do not repeat what the list says already. */
function itemText(stored: StoredObject, showing: ViewOptions): string {
  const { kind } = showing;
  const text = ownText(stored, showing);
  if (kind.isCustom) return text;
  const head = `{"kind":"${kind.kind}","apiVersion":"${formatApiVersion(kind.group, kind.version)}",`;
  return text.startsWith(head) ? `{${text.slice(head.length)}` : text;
}

/** Planes may define the same resource differently: each object is shown by the definition of its own. */
function ownText(stored: StoredObject, { kind, kindIn }: ViewOptions): string {
  const own = kindIn === undefined ? kind : kindIn(stored.key.plane);
  return own === undefined ? stored.text : servedText(stored, own);
}

/** What one event of a watch shows; tables have their header in the first event alone. */
export function eventText(stored: StoredObject, showing: ViewOptions, isFirst: boolean): string {
  switch (showing.accepted.representation) {
    case "object":
      return ownText(stored, showing);
    case "Table": {
      const table = tableOf([servedObject(stored, showing.kind)], showing, versionOnly(stored));
      return writeJson(isFirst ? table : { ...table, columnDefinitions: null });
    }
    case "PartialObjectMetadata":
    case "PartialObjectMetadataList":
      return writeJson(partial(servedObject(stored, showing.kind)));
  }
}

/** A bookmark is shown as the objects of its watch are, although it has nothing but a revision. */
export function bookmarkText(object: ApiObject, showing: ViewOptions, isFirst: boolean): string {
  switch (showing.accepted.representation) {
    case "object":
      return writeJson(object);
    case "Table": {
      const { resourceVersion = "" } = object.metadata;
      const table = tableOf([object], showing, { resourceVersion });
      return writeJson(isFirst ? table : { ...table, columnDefinitions: null });
    }
    case "PartialObjectMetadata":
    case "PartialObjectMetadataList":
      return writeJson(partial(object));
  }
}

function versionOnly({ object }: StoredObject): ListMetadata {
  return { resourceVersion: object.metadata.resourceVersion ?? "" };
}
