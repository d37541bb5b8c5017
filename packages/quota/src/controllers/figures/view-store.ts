import { pause } from "@milo-quota/kubernetes/client/pause.ts";
import { TokenBucket } from "@milo-quota/kubernetes/client/queue/token-bucket.ts";
import type { Parser } from "@milo-quota/kubernetes/client/resources/read-reply.ts";
import type { ResourceClient } from "@milo-quota/kubernetes/client/resources/resource-client.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { writeStatus } from "@milo-quota/kubernetes/client/resources/write-status.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { extended } from "@milo-quota/kubernetes/protocol/extended.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { timeText } from "@milo-quota/kubernetes/protocol/time.ts";
import { type AllowanceBucket, parseAllowanceBucket } from "../../core/resources/allowance-bucket.ts";
import {
  type EffectiveResourceGrant,
  parseEffectiveResourceGrant,
} from "../../core/resources/effective-resource-grant.ts";
import { dimensionKey } from "../../core/resources/fields/dimensions.ts";
import { quotaApiVersion, systemNamespace } from "../../core/resources/well-known.ts";
import { bucketsType, effectiveGrantsType } from "../../views/quota-types.ts";
import type { Runtime } from "../../views/runtime.ts";
import { findIfAny } from "../find-if-any.ts";
import { inTime } from "../in-time.ts";
import { ensureSystemNamespace, isNamespaceMissing } from "../system-namespace.ts";
import { parseWritten, type Written } from "../writer/pages/written.ts";
import type { ViewKind, WantedView } from "./wanted-view.ts";

/** Where a view is. */
export interface ViewPlace {
  readonly plane: string;
  readonly kind: ViewKind;
  readonly namespace: string;
  readonly name: string;
}

/** Which view, among those of one plane. */
export function placeId({ kind, namespace, name }: ViewPlace): string {
  return `${kind}\n${namespace}\n${name}`;
}

/** A view as it is stored, as far as this process knows. */
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

/** Of all views together: they are for people, and leave the server to those who wait for decisions. */
const writeRate = { burst: 500, perSecond: 100 };

/** Reads, makes, changes and removes views. Every change is on the version that was read. */
export class ViewStore {
  readonly #runtime: Runtime;
  readonly #pace: TokenBucket;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
    this.#pace = new TokenBucket(writeRate, runtime.clock);
  }

  async read(place: ViewPlace, signal: AbortSignal): Promise<StoredView | undefined> {
    const { namespace, name } = place;
    const found = await this.#ask(signal, (limit) => findIfAny(this.#client(place), { namespace, name }, limit));
    if (found !== undefined && "dimensions" in found && dimensionKey(found.dimensions) === "") {
      throw new Error(`AllowanceBucket ${namespace}/${name} is a page, which is not written here`);
    }
    return found && storedViewOf(found);
  }

  /** Makes it, or finds it made by somebody else. */
  async make(place: ViewPlace, { manifest }: WantedView, signal: AbortSignal): Promise<StoredView> {
    const create = async (limit: AbortSignal): Promise<StoredView> =>
      storedViewOf(await this.#client(place).create(manifest, {}, limit));
    try {
      return await this.#write(signal, create);
    } catch (error) {
      if (await this.#isRemedied(place, error, signal)) return this.#write(signal, create);
      const found = isThereAlready(error) ? await this.read(place, signal) : undefined;
      if (found === undefined) throw error;
      return found;
    }
  }

  async show(place: ViewPlace, stored: StoredView, view: WantedView, signal: AbortSignal): Promise<StoredView> {
    const after = view.statusAfter(stored.status, timeText(this.#runtime.clock.now()));
    if (after === stored.status) return stored;
    const { kind, namespace, name } = place;
    const metadata = { namespace, name, uid: stored.uid, resourceVersion: stored.version };
    const subject = { apiVersion: quotaApiVersion, kind, metadata };
    const change = { before: stored.status, after };
    const written = await this.#write(signal, (limit) => writeStatus(this.#versions(place), subject, change, limit));
    return written === undefined ? stored : extended(written, { status: after });
  }

  async remove(place: ViewPlace, { uid, version }: StoredView, signal: AbortSignal): Promise<void> {
    const { namespace, name } = place;
    const only = { uid, resourceVersion: version };
    try {
      await this.#write(signal, (limit) => this.#client(place).delete({ namespace, name }, only, limit));
    } catch (error) {
      if (!(error instanceof StatusError) || error.status.code !== 404) throw error;
    }
  }

  /** A namespace that is nobody's is made; any other is waited for. */
  async #isRemedied({ plane, namespace }: ViewPlace, error: unknown, signal: AbortSignal): Promise<boolean> {
    if (namespace !== systemNamespace || !isNamespaceMissing(error, namespace)) return false;
    await this.#ask(signal, (limit) => ensureSystemNamespace(this.#runtime, plane, limit));
    return true;
  }

  async #write<Answer>(signal: AbortSignal, write: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    const { clock } = this.#runtime;
    const waitMs = this.#pace.reserve();
    if (waitMs > 0) await pause(clock, waitMs, signal);
    return this.#ask(signal, write);
  }

  #ask<Answer>(signal: AbortSignal, ask: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    return inTime(this.#runtime.clock, signal, ask);
  }

  #client({ plane, kind }: ViewPlace): ResourceClient<AnyView> {
    return this.#runtime.planes.client(plane).resource(viewTypes[kind], viewParsers[kind]);
  }

  /** The same, for writes whose answer is known but for its version. */
  #versions({ plane, kind }: ViewPlace): ResourceClient<Written> {
    return this.#runtime.planes.client(plane).resource(viewTypes[kind], parseWritten);
  }
}

function isThereAlready(error: unknown): boolean {
  return error instanceof StatusError && error.status.reason === "AlreadyExists";
}
