import type { Clock } from "../../protocol/clock.ts";
import { TokenBucket, type TokenRate } from "../queue/token-bucket.ts";
import { type EventSubject, eventName, type Happening, type Occurrence, shortened } from "./core-event.ts";
import { Recent } from "./recent.ts";

export interface CorrelatorLimits {
  /** Of one object and type: after the burst, one in five minutes. */
  readonly perObject: TokenRate;
  /** From so many different messages of one reason on, they are put together. */
  readonly messagesMax: number;
  /** What is further apart than this is not put together. */
  readonly windowMs: number;
  readonly rememberedMax: number;
}

const defaultLimits: CorrelatorLimits = {
  perObject: { burst: 25, perSecond: 1 / 300 },
  messagesMax: 10,
  windowMs: 600_000,
  rememberedMax: 4_096,
};

interface Alike {
  readonly messages: Set<string>;
  readonly lastMs: number;
}

/**
 * Makes few events of many. The same again is counted, not told again; many of one reason that differ in their
 * messages become one; and an object that has too much to say is not listened to for a while.
 */
export class EventCorrelator {
  readonly #clock: Clock;
  readonly #limits: CorrelatorLimits;
  readonly #buckets: Recent<TokenBucket>;
  readonly #alike: Recent<Alike>;
  readonly #told: Recent<Occurrence>;
  #serial = 0;

  constructor(clock: Clock, limits: Partial<CorrelatorLimits> = {}) {
    this.#clock = clock;
    this.#limits = { ...defaultLimits, ...limits };
    this.#buckets = new Recent(this.#limits.rememberedMax);
    this.#alike = new Recent(this.#limits.rememberedMax);
    this.#told = new Recent(this.#limits.rememberedMax);
  }

  /** What to write of it: undefined for nothing; with a count of one something new, else one more of what was told. */
  next(plane: string, subject: EventSubject, happening: Happening): Occurrence | undefined {
    const { key, told } = this.#gathered(plane, subject, { ...happening, message: shortened(happening.message) });
    const before = this.#told.get(key);
    const nowMs = this.#clock.now();
    this.#serial += 1;
    const occurrence: Occurrence = {
      subject,
      happening: told,
      name: before?.name ?? eventName(subject, nowMs, this.#serial),
      firstMs: before?.firstMs ?? nowMs,
      lastMs: nowMs,
      count: (before?.count ?? 0) + 1,
    };
    this.#told.set(key, occurrence);
    return this.#bucketOf(keyOf(plane, subject, happening.type)).take() ? occurrence : undefined;
  }

  #gathered(
    plane: string,
    subject: EventSubject,
    happening: Happening,
  ): { readonly key: string; readonly told: Happening } {
    const group = `${keyOf(plane, subject, happening.type)}\n${happening.reason}`;
    const nowMs = this.#clock.now();
    const known = this.#alike.get(group);
    const isRecent = known !== undefined && nowMs - known.lastMs <= this.#limits.windowMs;
    const messages = isRecent ? known.messages : new Set<string>();
    if (messages.size < this.#limits.messagesMax - 1) messages.add(happening.message);
    this.#alike.set(group, { messages, lastMs: nowMs });
    if (messages.has(happening.message)) return { key: `${group}\n${happening.message}`, told: happening };
    return {
      key: group,
      told: { ...happening, message: shortened(`(combined from similar events): ${happening.message}`) },
    };
  }

  #bucketOf(key: string): TokenBucket {
    const bucket = this.#buckets.get(key) ?? new TokenBucket(this.#limits.perObject, this.#clock);
    this.#buckets.set(key, bucket);
    return bucket;
  }
}

function keyOf(plane: string, { apiVersion, kind, namespace, name, uid }: EventSubject, type: string): string {
  return [plane, apiVersion, kind, namespace, name, uid, type].join("\n");
}
