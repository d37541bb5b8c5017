import { TokenBucket } from "@milo-quota/kubernetes/client/queue/token-bucket.ts";
import type { Parser } from "@milo-quota/kubernetes/client/resources/read-reply.ts";
import type { ResourceClient } from "@milo-quota/kubernetes/client/resources/resource-client.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { writeStatus } from "@milo-quota/kubernetes/client/resources/write-status.ts";
import { sleep } from "@milo-quota/kubernetes/client/sleep.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { extendObject } from "@milo-quota/kubernetes/protocol/extend-object.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { formatTime } from "@milo-quota/kubernetes/protocol/time.ts";
import { type AllowanceBucket, parseAllowanceBucket } from "../../core/resources/allowance-bucket.ts";
import {
  type EffectiveResourceGrant,
  parseEffectiveResourceGrant,
} from "../../core/resources/effective-resource-grant.ts";
import { dimensionKey } from "../../core/resources/fields/dimensions.ts";
import { quotaApiVersion, systemNamespace } from "../../core/resources/well-known.ts";
import { bucketsType, effectiveGrantsType } from "../../views/quota-types.ts";
import type { Runtime } from "../../views/runtime.ts";
import { findOrUndefined } from "../find-or-undefined.ts";
import { ensureSystemNamespace, isNamespaceMissing } from "../system-namespace.ts";
import { withTimeout } from "../with-timeout.ts";
import { type ObjectVersion, parseObjectVersion } from "../writer/buckets/object-version.ts";
import type { DesiredView, ViewKind } from "./desired-view.ts";

export interface ViewKey {
  readonly plane: string;
  readonly kind: ViewKind;
  readonly namespace: string;
  readonly name: string;
}

/** Identifies a view within its control plane. */
export function viewKeyId({ kind, namespace, name }: ViewKey): string {
  return `${kind}\n${namespace}\n${name}`;
}

/** The metadata and status of a stored view. */
export interface StoredView {
  readonly uid: string;
  readonly version: string;
  readonly status: JsonObject;
}

export type AnyView = AllowanceBucket | EffectiveResourceGrant;

export const viewTypes: Readonly<Record<ViewKind, ResourceType>> = {
  EffectiveResourceGrant: effectiveGrantsType,
  AllowanceBucket: bucketsType,
};

export const viewParsers: Readonly<Record<ViewKind, Parser<AnyView>>> = {
  EffectiveResourceGrant: parseEffectiveResourceGrant,
  AllowanceBucket: parseAllowanceBucket,
};

export function storedViewOf({ metadata, status }: AnyView): StoredView {
  const { uid = "", resourceVersion = "" } = metadata;
  return { uid, version: resourceVersion, status: (status ?? {}) as unknown as JsonObject };
}

/** For all views together: they are informational, and must not slow down decisions. */
const writeRate = { burst: 500, perSecond: 100 };

/** Reads, creates, updates and removes views. Every write names the resourceVersion that was read. */
export class ViewStore {
  readonly #runtime: Runtime;
  readonly #rateLimiter: TokenBucket;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
    this.#rateLimiter = new TokenBucket(writeRate, runtime.clock);
  }

  async read(key: ViewKey, signal: AbortSignal): Promise<StoredView | undefined> {
    const { namespace, name } = key;
    const found = await this.#call(signal, (limit) => findOrUndefined(this.#client(key), { namespace, name }, limit));
    if (found !== undefined && "dimensions" in found && dimensionKey(found.dimensions) === "") {
      throw new Error(`AllowanceBucket ${namespace}/${name} is a ledger bucket, not a view`);
    }
    return found && storedViewOf(found);
  }

  /** Creates a view, or returns the one that another client created. */
  async create(key: ViewKey, { manifest }: DesiredView, signal: AbortSignal): Promise<StoredView> {
    const create = async (limit: AbortSignal): Promise<StoredView> =>
      storedViewOf(await this.#client(key).create(manifest, {}, limit));
    try {
      return await this.#write(signal, create);
    } catch (error) {
      if (await this.#createsNamespace(key, error, signal)) return this.#write(signal, create);
      const found = isAlreadyExists(error) ? await this.read(key, signal) : undefined;
      if (found === undefined) throw error;
      return found;
    }
  }

  async updateStatus(key: ViewKey, stored: StoredView, view: DesiredView, signal: AbortSignal): Promise<StoredView> {
    const after = view.statusAfter(stored.status, formatTime(this.#runtime.clock.now()));
    if (after === stored.status) return stored;
    const { kind, namespace, name } = key;
    const metadata = { namespace, name, uid: stored.uid, resourceVersion: stored.version };
    const subject = { apiVersion: quotaApiVersion, kind, metadata };
    const change = { before: stored.status, after };
    const written = await this.#write(signal, (limit) => writeStatus(this.#versions(key), subject, change, limit));
    return written === undefined ? stored : extendObject(written, { status: after });
  }

  async remove(key: ViewKey, { uid, version }: StoredView, signal: AbortSignal): Promise<void> {
    const { namespace, name } = key;
    const only = { uid, resourceVersion: version };
    try {
      await this.#write(signal, (limit) => this.#client(key).delete({ namespace, name }, only, limit));
    } catch (error) {
      if (!(error instanceof StatusError) || error.status.code !== 404) throw error;
    }
  }

  /** Creates the system namespace if it is missing. Any other namespace belongs to a tenant, and is waited for. */
  async #createsNamespace({ plane, namespace }: ViewKey, error: unknown, signal: AbortSignal): Promise<boolean> {
    if (namespace !== systemNamespace || !isNamespaceMissing(error, namespace)) return false;
    await this.#call(signal, (limit) => ensureSystemNamespace(this.#runtime, plane, limit));
    return true;
  }

  async #write<Response>(signal: AbortSignal, write: (signal: AbortSignal) => Promise<Response>): Promise<Response> {
    const { clock } = this.#runtime;
    const waitMs = this.#rateLimiter.reserve();
    if (waitMs > 0) await sleep(clock, waitMs, signal);
    return this.#call(signal, write);
  }

  #call<Response>(signal: AbortSignal, call: (signal: AbortSignal) => Promise<Response>): Promise<Response> {
    return withTimeout(this.#runtime.clock, signal, call);
  }

  #client({ plane, kind }: ViewKey): ResourceClient<AnyView> {
    return this.#runtime.planes.client(plane).resource(viewTypes[kind], viewParsers[kind]);
  }

  /** The same for writes: the writer needs only the new version from the response. */
  #versions({ plane, kind }: ViewKey): ResourceClient<ObjectVersion> {
    return this.#runtime.planes.client(plane).resource(viewTypes[kind], parseObjectVersion);
  }
}

function isAlreadyExists(error: unknown): boolean {
  return error instanceof StatusError && error.status.reason === "AlreadyExists";
}
