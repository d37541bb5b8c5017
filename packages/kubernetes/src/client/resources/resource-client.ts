import { StatusError } from "../../protocol/api-status.ts";
import type { JsonObject } from "../../protocol/json-value.ts";
import { writeJson } from "../../protocol/json-writer.ts";
import type { KubernetesObject } from "../../protocol/object-meta.ts";
import type { Call, CallBody, Transport } from "../transport/transport.ts";
import { pageIn, type RawPage } from "./list-page.ts";
import { objectOrThrow, type Parser, parseOrThrow } from "./read-reply.ts";
import {
  type DeleteOptions,
  deleteBody,
  type ListOptions,
  listQuery,
  noQuery,
  type WriteOptions,
  writeQuery,
} from "./request-options.ts";
import {
  collectionPath,
  type ObjectRef,
  objectPath,
  type PlaneAddress,
  planeNotFound,
  type ResourceType,
} from "./resource-type.ts";

/** One page of a list. */
export interface Page<Kind> {
  readonly items: readonly Kind[];
  readonly resourceVersion: string;
  readonly continue: string;
}

export type Patch =
  | { readonly type: "merge" | "strategic"; readonly body: object }
  | { readonly type: "json"; readonly body: readonly object[] };

const patchTypes = {
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  json: "application/json-patch+json",
} as const;

/** Server-side apply requires an explicit field manager. */
export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Take over fields from other managers. */
  readonly force?: boolean;
}

/** Whether a deleted object is gone, or waits for its finalizers. */
export type Deletion = { readonly outcome: "gone" } | { readonly outcome: "going"; readonly object: JsonObject };

/** A client for the objects of one kind in one plane. Failures reject, with a StatusError if the server responded. */
export class ResourceClient<Kind> {
  readonly type: ResourceType;
  readonly plane: PlaneAddress;
  readonly parse: Parser<Kind>;
  readonly #transport: Transport;

  constructor(transport: Transport, plane: PlaneAddress, type: ResourceType, parse: Parser<Kind>) {
    this.#transport = transport;
    this.plane = plane;
    this.type = type;
    this.parse = parse;
  }

  create(object: KubernetesObject, options: WriteOptions, signal: AbortSignal): Promise<Kind> {
    const path = collectionPath(this.type, this.plane, this.#namespaceOf(object));
    return this.#write({ method: "POST", path, query: writeQuery(options), body: jsonBody(object) }, signal);
  }

  get(ref: ObjectRef, signal: AbortSignal): Promise<Kind> {
    return this.#write({ method: "GET", path: this.#path(ref), query: noQuery }, signal);
  }

  /** Undefined when the object or its control plane does not exist. An unknown kind is still an error. */
  async find(ref: ObjectRef, signal: AbortSignal): Promise<Kind | undefined> {
    try {
      return await this.get(ref, signal);
    } catch (error) {
      if (this.#isMissing(error, ref)) return undefined;
      throw error;
    }
  }

  /** One page; see `pages` for all. */
  async list(options: ListOptions, signal: AbortSignal): Promise<Page<Kind>> {
    const page = await this.rawList(options, signal);
    return { ...page, items: page.items.map(({ object }) => parseOrThrow(this.parse, object, this.type.plural)) };
  }

  /** All pages, at one revision. Rejects with Expired when reading takes longer than the server keeps history. */
  async *pages(options: ListOptions, signal: AbortSignal): AsyncGenerator<Page<Kind>> {
    let next = "";
    do {
      const page = await this.list({ ...options, ...(next === "" ? {} : { continue: next }) }, signal);
      yield page;
      next = page.continue;
    } while (next !== "");
  }

  /** A page as the server sent it, for callers that tolerate unreadable items. */
  async rawList(options: ListOptions, signal: AbortSignal): Promise<RawPage> {
    const call = this.collectionCall(options, listQuery(options));
    return pageIn(call, objectOrThrow(call, await this.#transport.request(call, signal)));
  }

  collectionCall({ namespace, reach }: Pick<ListOptions, "namespace" | "reach">, query: URLSearchParams): Call {
    const path = collectionPath(this.type, this.plane, namespace);
    return { method: "GET", path, query, ...(reach === undefined ? {} : { reach }) };
  }

  update(object: KubernetesObject, options: WriteOptions, signal: AbortSignal): Promise<Kind> {
    const path = this.#path(this.#refOf(object));
    return this.#write({ method: "PUT", path, query: writeQuery(options), body: jsonBody(object) }, signal);
  }

  updateStatus(object: KubernetesObject, options: WriteOptions, signal: AbortSignal): Promise<Kind> {
    const path = `${this.#path(this.#refOf(object))}/status`;
    return this.#write({ method: "PUT", path, query: writeQuery(options), body: jsonBody(object) }, signal);
  }

  patch(ref: ObjectRef, { type, body }: Patch, options: WriteOptions, signal: AbortSignal): Promise<Kind> {
    const path = this.#path(ref, options.subresource);
    const sent = jsonBody(body, patchTypes[type]);
    return this.#write({ method: "PATCH", path, query: writeQuery(options), body: sent }, signal);
  }

  apply(object: KubernetesObject, options: ApplyOptions, signal: AbortSignal): Promise<Kind> {
    const query = new URLSearchParams(writeQuery(options));
    query.set("force", String(options.force ?? false));
    const body = jsonBody(object, "application/apply-patch+yaml");
    return this.#write(
      { method: "PATCH", path: this.#path(this.#refOf(object), options.subresource), query, body },
      signal,
    );
  }

  async delete(ref: ObjectRef, options: DeleteOptions, signal: AbortSignal): Promise<Deletion> {
    const call: Call = {
      method: "DELETE",
      path: this.#path(ref),
      query: new URLSearchParams(),
      body: jsonBody(deleteBody(options)),
    };
    const object = objectOrThrow(call, await this.#transport.request(call, signal));
    return object["kind"] === "Status" ? { outcome: "gone" } : { outcome: "going", object };
  }

  async #write(call: Call, signal: AbortSignal): Promise<Kind> {
    return parseOrThrow(this.parse, objectOrThrow(call, await this.#transport.request(call, signal)), this.type.plural);
  }

  #path(ref: ObjectRef, subresource?: string): string {
    return `${objectPath(this.type, this.plane, ref)}${subresource === undefined ? "" : `/${subresource}`}`;
  }

  #refOf(object: KubernetesObject): ObjectRef {
    const namespace = this.#namespaceOf(object);
    return { name: object.metadata.name ?? "", ...(namespace === undefined ? {} : { namespace }) };
  }

  #namespaceOf({ metadata }: KubernetesObject): string | undefined {
    if (this.type.scope === "Cluster") return undefined;
    return metadata.namespace ?? "";
  }

  #isMissing(error: unknown, { name }: ObjectRef): boolean {
    if (!(error instanceof StatusError) || error.status.code !== 404) return false;
    const { name: missing, causes = [] } = error.status.details ?? {};
    return missing === name || causes.some(({ reason }) => reason === planeNotFound);
  }
}

function jsonBody(value: object, type = "application/json"): CallBody {
  return { type, text: writeJson(value) };
}
