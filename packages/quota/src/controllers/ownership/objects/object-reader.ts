import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { isJsonObject, type JsonObject, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { GroupKind } from "../../../core/resources/fields/consumer-ref.ts";
import type { ControlPlanes } from "../../../views/control-planes.ts";
import type { ObjectAddress } from "./object-address.ts";

/** Discovery of the kinds that a control plane serves. */
export interface ServedKinds {
  /** Undefined if the server does not serve the kind; rejects if discovery fails. */
  resourceFor(plane: string, kind: GroupKind): Promise<ResourceType | undefined>;
  /** Drops the cached discovery of a control plane, after the server did not serve a kind that it announced. */
  invalidate?(plane: string): void;
}

/** Reads objects of any kind from their API server. */
export class ObjectReader {
  readonly #planes: ControlPlanes;
  readonly #served: ServedKinds;

  constructor(planes: ControlPlanes, served: ServedKinds) {
    this.#planes = planes;
    this.#served = served;
  }

  /**
   * Undefined only if the server reported that the object or its kind does not exist. Rejects if the server cannot be
   * reached, which must not be mistaken for a deletion.
   */
  async read({ kind, key }: ObjectAddress, signal: AbortSignal): Promise<JsonObject | undefined> {
    const type = await this.#served.resourceFor(key.plane, kind);
    signal.throwIfAborted();
    if (type === undefined || (type.scope === "Cluster") !== (key.namespace === "")) return undefined;
    const { namespace, name } = key;
    const client = this.#planes.client(key.plane).resource(type, anyObject);
    try {
      return await client.find({ name, ...(namespace === "" ? {} : { namespace }) }, signal);
    } catch (error) {
      if (error instanceof StatusError && error.status.code === 404) this.#served.invalidate?.(key.plane);
      throw error;
    }
  }
}

/** The metadata of an object that controllers need. */
export interface ObjectFacts {
  readonly uid: string;
  readonly apiVersion: string;
  readonly terminating: boolean;
  readonly created: string;
}

export function factsOf(object: JsonObject): ObjectFacts {
  const metadata = ownValue(object, "metadata");
  const text = (from: unknown, field: string): string => {
    const value = isJsonObject(from) ? ownValue(from, field) : undefined;
    return typeof value === "string" ? value : "";
  };
  return {
    uid: text(metadata, "uid"),
    apiVersion: text(object, "apiVersion"),
    terminating: text(metadata, "deletionTimestamp") !== "",
    created: text(metadata, "creationTimestamp"),
  };
}
