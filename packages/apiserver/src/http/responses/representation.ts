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

/** The JSON text of one object. */
export function objectText(stored: StoredObject, viewOptions: ViewOptions): string {
  switch (viewOptions.accepted.representation) {
    case "object":
      return servedText(stored, viewOptions.kind);
    case "Table":
      return writeJson(tableOf([servedObject(stored, viewOptions.kind)], viewOptions, versionOnly(stored)));
    case "PartialObjectMetadata":
      return writeJson(partial(servedObject(stored, viewOptions.kind)));
    case "PartialObjectMetadataList":
      throw new StatusError(
        failure(
          "NotAcceptable",
          `you requested PartialObjectMetadataList, but the requested object is not a list (${goType(viewOptions.kind, "")})`,
        ),
      );
  }
}

/** The object behind such a text. Hot: it is nearly always the stored object, which needs no parsing. */
export function renderedObject(stored: StoredObject, text: string): JsonObject {
  // The object of a dry run was not stored, and may differ from what parsing its text gives.
  const isStored = text === stored.text && stored.revision > 0;
  return isStored ? stored.object : (readJson(text) as JsonObject);
}

/** The JSON text of a list. Objects that are shown as stored are joined, never parsed. */
export function listText(items: readonly StoredObject[], metadata: ListMetadata, viewOptions: ViewOptions): string {
  const { kind, accepted } = viewOptions;
  switch (accepted.representation) {
    case "object": {
      const head = writeJson(listHead(kind, metadata));
      return `${head.slice(0, -1)},"items":[${items.map((item) => itemText(item, viewOptions)).join(",")}]}`;
    }
    case "Table":
      return writeJson(
        tableOf(
          items.map((item) => servedObject(item, kind)),
          viewOptions,
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

/** A list of full objects, without serializing and parsing it. */
export function listObject(
  items: readonly StoredObject[],
  metadata: ListMetadata,
  viewOptions: ViewOptions,
): JsonObject {
  const shown = items.map((item) => renderedObject(item, textByPlane(item, viewOptions)));
  return { ...listHead(viewOptions.kind, metadata), items: shown };
}

function listHead(kind: ServedKind, metadata: ListMetadata): JsonObject {
  // Lists of custom kinds always have `continue`, even if empty.
  const full = kind.isCustom ? { continue: "", ...metadata } : { ...metadata };
  return { kind: kind.listKind, apiVersion: formatApiVersion(kind.group, kind.version), metadata: full };
}

/** The Go type that Kubernetes names in front of its clients. */
function goType({ group, kind, isCustom, storedAs }: ServedKind, suffix: "" | "List"): string {
  if (isCustom) return `*unstructured.Unstructured${suffix}`;
  const [name = ""] = group.split(".");
  return `*${name === "" || storedAs !== undefined ? "core" : name}.${kind}${suffix}`;
}

/** Items of built-in kinds omit the kind and apiVersion of the list. */
function itemText(stored: StoredObject, viewOptions: ViewOptions): string {
  const { kind } = viewOptions;
  const text = textByPlane(stored, viewOptions);
  if (kind.isCustom) return text;
  const head = `{"kind":"${kind.kind}","apiVersion":"${formatApiVersion(kind.group, kind.version)}",`;
  return text.startsWith(head) ? `{${text.slice(head.length)}` : text;
}

/** Planes may define the same resource differently: each object is rendered by the definition of its own plane. */
function textByPlane(stored: StoredObject, { kind, kindIn }: ViewOptions): string {
  const own = kindIn === undefined ? kind : kindIn(stored.key.plane);
  return own === undefined ? stored.text : servedText(stored, own);
}

/** The text of one watch event; a table has its header in the first event only. */
export function eventText(stored: StoredObject, viewOptions: ViewOptions, isFirst: boolean): string {
  switch (viewOptions.accepted.representation) {
    case "object":
      return textByPlane(stored, viewOptions);
    case "Table": {
      const table = tableOf([servedObject(stored, viewOptions.kind)], viewOptions, versionOnly(stored));
      return writeJson(isFirst ? table : { ...table, columnDefinitions: null });
    }
    case "PartialObjectMetadata":
    case "PartialObjectMetadataList":
      return writeJson(partial(servedObject(stored, viewOptions.kind)));
  }
}

/** A bookmark has the representation of the watch's objects, although it has nothing but a revision. */
export function bookmarkText(object: ApiObject, viewOptions: ViewOptions, isFirst: boolean): string {
  switch (viewOptions.accepted.representation) {
    case "object":
      return writeJson(object);
    case "Table": {
      const { resourceVersion = "" } = object.metadata;
      const table = tableOf([object], viewOptions, { resourceVersion });
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
