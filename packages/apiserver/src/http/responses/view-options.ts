import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ApiObject } from "../../registry/kinds/api-object.ts";
import type { ServedKind } from "../../registry/kinds/served-kind.ts";
import type { Accepted } from "./accept.ts";

/** How the objects of one response are rendered. */
export interface ViewOptions {
  readonly kind: ServedKind;
  readonly accepted: Accepted;
  /** The object in each row of a table: Metadata unless the client says otherwise. */
  readonly includeObject: string;
  readonly nowMs: number;
  /**
   * For reads of all planes: the kind by which a plane serves its objects; undefined where the plane does not serve it,
   * and objects are rendered as stored.
   */
  readonly kindIn?: (plane: string) => ServedKind | undefined;
}

export interface ListMetadata {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

export function partial({ metadata }: ApiObject): JsonObject {
  return { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata } as unknown as JsonObject;
}
