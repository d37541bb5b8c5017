import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { isJsonObject, type JsonObject, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { GroupKind } from "../../../core/resources/fields/consumer-ref.ts";
import type { ControlPlanes } from "../../../views/control-planes.ts";
import type { ObjectAddress } from "./governed-object.ts";

/** Which kinds a plane serves, by what its server says. */
export interface ServedKinds {
  /** Undefined when the server says that it serves no such kind; rejects when it does not say. */
  find(plane: string, kind: GroupKind): Promise<ResourceType | undefined>;
  /** What it said led to nothing. */
  doubt?(plane: string): void;
}

/** Reads objects of any kind from their server itself. */
export class ObjectReader {
  readonly #planes: ControlPlanes;
  readonly #served: ServedKinds;

  constructor(planes: ControlPlanes, served: ServedKinds) {
    this.#planes = planes;
    this.#served = served;
  }

  /**
   * Undefined only when the server says that there is no such object, or no such kind. Rejects whenever it does not say:
   * a server that cannot be reached has lost nothing.
   */
  async read({ kind, place }: ObjectAddress, signal: AbortSignal): Promise<JsonObject | undefined> {
    const type = await this.#served.find(place.plane, kind);
    signal.throwIfAborted();
    if (type === undefined || (type.scope === "Cluster") !== (place.namespace === "")) return undefined;
    const { namespace, name } = place;
    const client = this.#planes.client(place.plane).resource(type, anyObject);
    try {
      return await client.find({ name, ...(namespace === "" ? {} : { namespace }) }, signal);
    } catch (error) {
      if (error instanceof StatusError && error.status.code === 404) this.#served.doubt?.(place.plane);
      throw error;
    }
  }
}

/** What matters of any object, whatever its kind. */
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
