import type { Clock } from "../../protocol/clock.ts";
import { TokenBucket, type TokenRate } from "../queue/token-bucket.ts";
import {
  type CorrelatedEvent,
  type EventContent,
  eventName,
  type InvolvedObject,
  truncateMessage,
} from "./core-event.ts";
import { LruCache } from "./lru-cache.ts";

export interface CorrelatorLimits {
  /** Per object and type: after the burst, one in five minutes. */
  readonly perObject: TokenRate;
  /** Events with the same reason are aggregated from this number of different messages on. */
  readonly messagesMax: number;
  /** Events further apart than this are not aggregated. */
  readonly windowMs: number;
  readonly cacheSizeMax: number;
}

const defaultLimits: CorrelatorLimits = {
  perObject: { burst: 25, perSecond: 1 / 300 },
  messagesMax: 10,
  windowMs: 600_000,
  cacheSizeMax: 4_096,
};

interface SimilarEvents {
  readonly messages: Set<string>;
  readonly lastMs: number;
}

/**
 * Reduces the number of events, like the EventCorrelator of client-go. Repeated events are counted; events that differ
 * only in their messages are aggregated; and objects with too many events are rate limited.
 */
export class EventCorrelator {
  readonly #clock: Clock;
  readonly #limits: CorrelatorLimits;
  readonly #buckets: LruCache<TokenBucket>;
  readonly #similar: LruCache<SimilarEvents>;
  readonly #recorded: LruCache<CorrelatedEvent>;
  #serial = 0;

  constructor(clock: Clock, limits: Partial<CorrelatorLimits> = {}) {
    this.#clock = clock;
    this.#limits = { ...defaultLimits, ...limits };
    this.#buckets = new LruCache(this.#limits.cacheSizeMax);
    this.#similar = new LruCache(this.#limits.cacheSizeMax);
    this.#recorded = new LruCache(this.#limits.cacheSizeMax);
  }

  /** The event to write: undefined if it is dropped; a count above one updates an earlier event. */
  correlate(plane: string, involvedObject: InvolvedObject, content: EventContent): CorrelatedEvent | undefined {
    const { key, aggregated } = this.#aggregate(plane, involvedObject, {
      ...content,
      message: truncateMessage(content.message),
    });
    const before = this.#recorded.get(key);
    const nowMs = this.#clock.now();
    this.#serial += 1;
    const event: CorrelatedEvent = {
      involvedObject,
      content: aggregated,
      name: before?.name ?? eventName(involvedObject, nowMs, this.#serial),
      firstMs: before?.firstMs ?? nowMs,
      lastMs: nowMs,
      count: (before?.count ?? 0) + 1,
    };
    this.#recorded.set(key, event);
    return this.#bucketOf(keyOf(plane, involvedObject, content.type)).take() ? event : undefined;
  }

  #aggregate(
    plane: string,
    involvedObject: InvolvedObject,
    content: EventContent,
  ): { readonly key: string; readonly aggregated: EventContent } {
    const group = `${keyOf(plane, involvedObject, content.type)}\n${content.reason}`;
    const nowMs = this.#clock.now();
    const existing = this.#similar.get(group);
    const isRecent = existing !== undefined && nowMs - existing.lastMs <= this.#limits.windowMs;
    const messages = isRecent ? existing.messages : new Set<string>();
    if (messages.size < this.#limits.messagesMax - 1) messages.add(content.message);
    this.#similar.set(group, { messages, lastMs: nowMs });
    if (messages.has(content.message)) return { key: `${group}\n${content.message}`, aggregated: content };
    return {
      key: group,
      aggregated: { ...content, message: truncateMessage(`(combined from similar events): ${content.message}`) },
    };
  }

  #bucketOf(key: string): TokenBucket {
    const bucket = this.#buckets.get(key) ?? new TokenBucket(this.#limits.perObject, this.#clock);
    this.#buckets.set(key, bucket);
    return bucket;
  }
}

function keyOf(plane: string, { apiVersion, kind, namespace, name, uid }: InvolvedObject, type: string): string {
  return [plane, apiVersion, kind, namespace, name, uid, type].join("\n");
}
