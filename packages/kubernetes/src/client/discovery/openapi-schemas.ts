import { isJsonObject, type JsonObject, ownValue } from "../../protocol/json-value.ts";
import { parseApiVersion } from "../../protocol/object-meta.ts";
import type { KubeClient } from "../resources/kube-client.ts";
import { objectOrThrow } from "../resources/read-reply.ts";
import type { Call } from "../transport/transport.ts";

/** The schema of a kind, and the schemas that it refers to. */
export interface OpenApiSchema {
  readonly schema: JsonObject;
  readonly resolve: (reference: string) => JsonObject | undefined;
}

/** Cached documents; most are a few hundred kilobytes. */
const documentsMax = 32;
const referencePrefix = "#/components/schemas/";

/** The OpenAPI v3 schemas that a server publishes. A document is read once for each hash. */
export class OpenApiSchemas {
  readonly #clientOf: (plane: string) => KubeClient;
  readonly #documents = new Map<string, Promise<JsonObject>>();

  constructor(clientOf: (plane: string) => KubeClient) {
    this.#clientOf = clientOf;
  }

  /** The schema of a kind in one version; undefined when the server publishes none. */
  async schemaOf(
    plane: string,
    { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
    signal: AbortSignal,
  ): Promise<OpenApiSchema | undefined> {
    const { group, version } = parseApiVersion(apiVersion);
    const path = group === "" ? `api/${version}` : `apis/${group}/${version}`;
    const client = this.#clientOf(plane);
    const index = await read(client, "/openapi/v3", new URLSearchParams(), signal);
    const url = ownValue(part(part(index, "paths"), path), "serverRelativeURL");
    if (typeof url !== "string") return undefined;
    const document = await this.#document(client, { path, hash: hashOf(url) }, signal);
    const schemas = part(part(document, "components"), "schemas");
    const schema = Object.values(schemas).find((each) => isJsonObject(each) && isSchemaOf(each, group, version, kind));
    if (!isJsonObject(schema)) return undefined;
    return { schema, resolve: (reference) => referenced(schemas, reference) };
  }

  #document(
    client: KubeClient,
    { path, hash }: { readonly path: string; readonly hash: string },
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const key = `${client.plane.prefix}/${path}?${hash}`;
    const cached = this.#documents.get(key);
    if (cached !== undefined) return cached;
    const reading = read(client, `/openapi/v3/${path}`, new URLSearchParams(hash === "" ? {} : { hash }), signal);
    this.#documents.set(key, reading);
    reading.catch(() => this.#documents.delete(key));
    for (const oldest of this.#documents.keys()) {
      if (this.#documents.size <= documentsMax) break;
      this.#documents.delete(oldest);
    }
    return reading;
  }
}

function hashOf(url: string): string {
  return new URLSearchParams(url.slice(url.indexOf("?") + 1)).get("hash") ?? "";
}

function isSchemaOf(schema: JsonObject, group: string, version: string, kind: string): boolean {
  const kinds = ownValue(schema, "x-kubernetes-group-version-kind");
  // Options, such as DeleteOptions, list every group; the schema of a kind lists its own only.
  const [only, ...others] = Array.isArray(kinds) ? kinds : [];
  if (!isJsonObject(only) || others.length > 0) return false;
  return only["group"] === group && only["version"] === version && only["kind"] === kind;
}

function referenced(schemas: JsonObject, reference: string): JsonObject | undefined {
  if (!reference.startsWith(referencePrefix)) return undefined;
  const schema = ownValue(schemas, reference.slice(referencePrefix.length));
  return isJsonObject(schema) ? schema : undefined;
}

async function read(
  client: KubeClient,
  path: string,
  query: URLSearchParams,
  signal: AbortSignal,
): Promise<JsonObject> {
  const call: Call = { method: "GET", path: `${client.plane.prefix}${path}`, query, accept: "application/json" };
  return objectOrThrow(call, await client.transport.request(call, signal));
}

function part(object: JsonObject, field: string): JsonObject {
  const value = ownValue(object, field);
  return isJsonObject(value) ? value : {};
}
