import { failure, StatusError } from "../../protocol/api-status.ts";
import type { Clock } from "../../protocol/clock.ts";
import { abortable } from "../abortable.ts";
import type { KubeClient } from "../resources/kube-client.ts";
import type { ResourceType } from "../resources/resource-type.ts";
import { type DiscoveryResult, discover } from "./discover.ts";

/** A kind in any version. */
export interface GroupKind {
  /** Empty for the core group. */
  readonly apiGroup: string;
  readonly kind: string;
}

/** How long it is cached that a kind is served. */
const hitMsMax = 30_000;
/** How long it is cached that a kind is not served; also the minimum interval of requests to a server. */
const missMsMax = 3_000;
const answerMsMax = 10_000;
/** Cached documents, mostly one per plane. */
const cachedMax = 500;

interface CachedDiscovery extends DiscoveryResult {
  readonly atMs: number;
  /** A resource that it lists was not found. */
  isInvalidated: boolean;
}

/** Maps kinds to resources, in each control plane, like the RESTMapper of client-go. */
export class RestMapper {
  readonly #clientOf: (plane: string) => KubeClient;
  readonly #clock: Clock;
  readonly #cache = new Map<string, CachedDiscovery>();
  readonly #inFlight = new Map<string, Promise<CachedDiscovery>>();

  constructor(clientOf: (plane: string) => KubeClient, clock: Clock) {
    this.#clientOf = clientOf;
    this.#clock = clock;
  }

  /**
   * The kind in the server's preferred version; undefined when the server does not serve it with list and watch.
   * Rejects when discovery fails.
   */
  async resourceFor(plane: string, kind: GroupKind): Promise<ResourceType | undefined> {
    const cached = this.#cached(plane, kind.apiGroup);
    const cachedType = cached && typeIn(cached, kind);
    if (cached !== undefined && this.#isFresh(cached, cachedType !== undefined)) return resolveType(cached, kind);
    return resolveType(await this.#ask(plane, kind.apiGroup), kind);
  }

  /** A cached resource of the plane turned out to be wrong: the next lookup runs discovery again, at a limited rate. */
  invalidate(plane: string): void {
    for (const [key, answer] of this.#cache) if (key.startsWith(`${plane}\n`)) answer.isInvalidated = true;
  }

  #cached(plane: string, group: string): CachedDiscovery | undefined {
    return this.#cache.get(keyOf(plane, group, "all-groups")) ?? this.#cache.get(keyOf(plane, group, "one-group"));
  }

  #isFresh({ atMs, isInvalidated }: CachedDiscovery, isHit: boolean): boolean {
    const ageMs = this.#clock.now() - atMs;
    return ageMs >= 0 && ageMs < (isHit && !isInvalidated ? hitMsMax : missMsMax);
  }

  /** Concurrent lookups share one request. */
  #ask(plane: string, group: string): Promise<CachedDiscovery> {
    const key = keyOf(plane, group, "one-group");
    const asking = this.#inFlight.get(key) ?? this.#discover(plane, group).finally(() => this.#inFlight.delete(key));
    this.#inFlight.set(key, asking);
    return asking;
  }

  async #discover(plane: string, group: string): Promise<CachedDiscovery> {
    const atMs = this.#clock.now(); // before the request: the response may miss later changes
    const patience = new AbortController();
    const late = new Error(`discovery in plane "${plane}" did not complete within ${answerMsMax} ms`);
    const timer = this.#clock.after(answerMsMax, () => patience.abort(late));
    try {
      const said = await abortable(discover(this.#clientOf(plane), group, patience.signal), patience.signal);
      const answer = { ...said, atMs, isInvalidated: false };
      this.#remember(keyOf(plane, group, answer.about), answer);
      return answer;
    } finally {
      timer.stop();
    }
  }

  #remember(key: string, answer: CachedDiscovery): void {
    this.#cache.delete(key);
    this.#cache.set(key, answer);
    for (const oldest of this.#cache.keys()) {
      if (this.#cache.size <= cachedMax) return;
      this.#cache.delete(oldest);
    }
  }
}

function keyOf(plane: string, group: string, about: DiscoveryResult["about"]): string {
  return about === "one-group" ? `${plane}\n${group}` : `${plane}\n${group === "" ? "/api" : "/apis"}`;
}

function typeIn({ resources }: CachedDiscovery, { apiGroup, kind }: GroupKind): ResourceType | undefined {
  const found = resources.find((resource) => resource.group === apiGroup && resource.kind === kind);
  return found && { group: found.group, version: found.version, plural: found.plural, scope: found.scope };
}

/** A missing kind in a group that the server marks as stale proves nothing. */
function resolveType(answer: CachedDiscovery, kind: GroupKind): ResourceType | undefined {
  const type = typeIn(answer, kind);
  if (type !== undefined || !answer.staleGroups.includes(kind.apiGroup)) return type;
  const message = `discovery of group "${kind.apiGroup}" is stale`;
  throw new StatusError(failure("ServiceUnavailable", message));
}
