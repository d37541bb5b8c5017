import { StatusError } from "../../protocol/api-status.ts";
import type { JsonObject } from "../../protocol/json-value.ts";
import { writeJson } from "../../protocol/json-writer.ts";
import type { KubernetesObject } from "../../protocol/object-meta.ts";
import type { Call, CallBody, Transport } from "../transport/transport.ts";
import { pageIn, type RawPage } from "./list-page.ts";
import { objectIn, type Parser, parsedBy } from "./read-reply.ts";
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

/** A part of a list. */
export interface Page<Kind> {
  readonly items: readonly Kind[];
  readonly resourceVersion: string;
  readonly continue: string;
}

/** How an object is changed without sending all of it. */
export type Patch =
  | { readonly type: "merge" | "strategic"; readonly body: object }
  | { readonly type: "json"; readonly body: readonly object[] };

const patchTypes = {
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  json: "application/json-patch+json",
} as const;

/** The name under which a server remembers who set which field; a patch is by whoever sends it unless it says so. */
export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Take fields over from whoever manages them now. */
  readonly force?: boolean;
}

/** Whether a deleted object is gone at once, or waits for somebody to let it go. */
export type Deletion = { readonly outcome: "gone" } | { readonly outcome: "going"; readonly object: JsonObject };

/** The objects of one kind in one plane. Everything that fails rejects: with a StatusError if the server says why. */
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

  /** Undefined when there is no such object, or no such control plane. That the server knows no such kind is still an error. */
  async find(ref: ObjectRef, signal: AbortSignal): Promise<Kind | undefined> {
    try {
      return await this.get(ref, signal);
    } catch (error) {
      if (this.#isMissing(error, ref)) return undefined;
      throw error;
    }
  }

  /** One page; all of them come from `pages`. */
  async list(options: ListOptions, signal: AbortSignal): Promise<Page<Kind>> {
    const page = await this.rawList(options, signal);
    return { ...page, items: page.items.map(({ object }) => parsedBy(this.parse, object, this.type.plural)) };
  }

  /** All pages, one at a time, as of one moment. Rejects with Expired when the reader takes longer than history is kept. */
  async *pages(options: ListOptions, signal: AbortSignal): AsyncGenerator<Page<Kind>> {
    let next = "";
    do {
      const page = await this.list({ ...options, ...(next === "" ? {} : { continue: next }) }, signal);
      yield page;
      next = page.continue;
    } while (next !== "");
  }

  /** A page as the server sent it, for whoever can live with items that cannot be read. */
  async rawList(options: ListOptions, signal: AbortSignal): Promise<RawPage> {
    const call = this.collectionCall(options, listQuery(options));
    return pageIn(call, objectIn(call, await this.#transport.request(call, signal)));
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
    const object = objectIn(call, await this.#transport.request(call, signal));
    return object["kind"] === "Status" ? { outcome: "gone" } : { outcome: "going", object };
  }

  async #write(call: Call, signal: AbortSignal): Promise<Kind> {
    return parsedBy(this.parse, objectIn(call, await this.#transport.request(call, signal)), this.type.plural);
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
