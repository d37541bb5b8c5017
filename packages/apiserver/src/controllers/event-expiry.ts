import type { Timer } from "@milo-quota/kubernetes/protocol/clock.ts";
import { formatTime } from "@milo-quota/kubernetes/protocol/time.ts";
import { deleteObject } from "../registry/delete.ts";
import type { KindCatalog } from "../registry/kinds/kind-catalog.ts";
import type { Registry } from "../registry/registry.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import { ignoreGone } from "./gone.ts";
import { serverRequest, systemUser } from "./server-request.ts";

const events = "events";
const user = systemUser("event-expiry");

/** Events expire an hour after their last occurrence, as in Kubernetes. */
const ageMsMax = 60 * 60_000;
const intervalMs = 60_000;

/** Deletes expired events, which would otherwise fill the memory. */
export class EventExpiry {
  readonly #registry: Registry;
  readonly #kinds: KindCatalog;
  readonly #report: (error: unknown) => void;
  readonly #stopped = new AbortController();
  #timer: Timer | undefined;

  constructor(registry: Registry, kinds: KindCatalog, report: (error: unknown) => void) {
    this.#registry = registry;
    this.#kinds = kinds;
    this.#report = report;
    this.#schedule();
  }

  stop(): void {
    this.#stopped.abort();
    this.#timer?.stop();
  }

  #schedule(): void {
    this.#timer = this.#registry.clock.after(intervalMs, () => {
      this.#deleteExpired()
        .catch(this.#report)
        .finally(() => {
          if (!this.#stopped.signal.aborted) this.#schedule();
        });
    });
  }

  async #deleteExpired(): Promise<void> {
    const { store, clock } = this.#registry;
    const oldest = formatTime(clock.now() - ageMsMax);
    for (const stored of store.list({ resource: events })) {
      if (this.#stopped.signal.aborted) return;
      if (newestTime(stored) < oldest) await this.#delete(stored);
    }
  }

  async #delete({ key, object }: StoredObject): Promise<void> {
    const kind = this.#kinds.inPlane(key.plane).stored(events);
    if (kind === undefined) return;
    const request = serverRequest(key, kind, user, this.#stopped.signal);
    const { uid, resourceVersion } = object.metadata;
    if (uid === undefined || resourceVersion === undefined) return;
    await deleteObject(this.#registry, request, key.name, { uid, resourceVersion }).catch(ignoreGone);
  }
}

/** The latest timestamp of an event. UTC timestamps compare as strings, so most events need no parsing. */
function newestTime({ text }: StoredObject): string {
  const times =
    text.match(/"(?:creationTimestamp|lastTimestamp|lastObservedTime|eventTime|time)":"[^"]{20,30}"/g) ?? [];
  return times
    .map((time) => time.slice(time.indexOf(':"') + 2, -1))
    .reduce((left, right) => (left > right ? left : right), "");
}
