import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ApiObject } from "../../registry/kinds/api-object.ts";
import type { ServedKind } from "../../registry/kinds/served-kind.ts";
import type { Accepted } from "./accept.ts";

/** How the objects of one answer are shown. */
export interface ViewOptions {
  readonly kind: ServedKind;
  readonly accepted: Accepted;
  /** What a table carries of each object: Metadata unless the client says otherwise. */
  readonly includeObject: string;
  readonly nowMs: number;
  /**
   * When objects of all planes are shown, each with its plane: the kind that one of them serves its own objects by;
   * undefined where there is none, and objects are shown as they are stored.
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
