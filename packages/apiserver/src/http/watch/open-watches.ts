import { StatusError, tooManyRequests } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";
import { mastersGroup } from "../access/well-known-users.ts";

export interface WatchLimits {
  /** Bytes that a client may be behind; then it is told nothing more until it has taken them. */
  readonly waitingBytesMax: number;
  /** Bytes that all clients together may be behind; beyond, those that are furthest behind are cut off. */
  readonly allWaitingBytesMax: number;
  /** How long a client may take for what it is behind before it is cut off. */
  readonly stalledMsMax: number;
  readonly bookmarkMs: number;
  /** How long a watch goes on that sets no time itself: this long at least, twice as long at most. */
  readonly lifeMsMin: number;
  readonly countMax: number;
  /** Of one user. Masters may have as many as there are places. */
  readonly countPerUserMax: number;
}

const mebi = 1024 * 1024;

const defaultWatchLimits: WatchLimits = {
  waitingBytesMax: mebi,
  allWaitingBytesMax: 256 * mebi,
  stalledMsMax: 60_000,
  bookmarkMs: 60_000,
  lifeMsMin: 30 * 60_000,
  countMax: 20_000,
  countPerUserMax: 2_000,
};

/** A stream as all of them together see it. */
export interface OpenWatch {
  readonly waitingBytes: number;
  /** Undefined for one of all planes. */
  readonly plane: string | undefined;
  /** Tells its client at once that it has heard everything up to now; or as soon as that is true. */
  tellProgress(): void;
  /** Ends it in order. */
  finish(): void;
  /** Ends it because its client is too far behind. */
  cut(): void;
}

interface WatchEntry {
  readonly username: string;
  /** What is watched, as those call it who may ask for its progress. */
  readonly watched: string | undefined;
  /** As of the last time it was looked at; it may be less by now. */
  waitingBytes: number;
}

/** All watches that are going on. Holds them to the limits that no single one can keep. */
export class OpenWatches {
  readonly limits: WatchLimits;
  readonly #entries = new Map<OpenWatch, WatchEntry>();
  readonly #byWatched = new Map<string, Set<OpenWatch>>();
  readonly #perUser = new Map<string, number>();
  #waitingBytes = 0;
  #isStopped = false;

  constructor(limits: Partial<WatchLimits> = {}) {
    this.limits = { ...defaultWatchLimits, ...limits };
  }

  get count(): number {
    return this.#entries.size;
  }

  /** Throws a StatusError (TooManyRequests) when there is no entry for another watch of this user. */
  requireRoomFor({ username, groups }: UserInfo): void {
    const { countMax, countPerUserMax } = this.limits;
    if (this.#isStopped) throw refused("The server is stopping, please try again later.");
    if (this.#entries.size >= countMax) throw refused(`Too many watches: ${countMax} are open already.`);
    const isOver = (this.#perUser.get(username) ?? 0) >= countPerUserMax;
    if (isOver && !groups.includes(mastersGroup)) {
      throw refused(`Too many watches: ${countPerUserMax} of this user are open already.`);
    }
  }

  /** `watched` names what it is about, if its progress may be asked for. */
  add(watch: OpenWatch, user: UserInfo, watched?: string): void {
    this.requireRoomFor(user);
    this.#entries.set(watch, { username: user.username, watched, waitingBytes: 0 });
    if (watched !== undefined) this.#byWatched.set(watched, (this.#byWatched.get(watched) ?? new Set()).add(watch));
    this.#perUser.set(user.username, (this.#perUser.get(user.username) ?? 0) + 1);
  }

  remove(watch: OpenWatch): void {
    const entry = this.#entries.get(watch);
    if (entry === undefined) return;
    this.#entries.delete(watch);
    this.#forget(watch, entry);
    this.#waitingBytes -= entry.waitingBytes;
    const left = (this.#perUser.get(entry.username) ?? 1) - 1;
    if (left === 0) this.#perUser.delete(entry.username);
    else this.#perUser.set(entry.username, left);
  }

  /** Lets the clients of all watches of this know how far they are. */
  tellProgress(watched: string): void {
    for (const watch of [...(this.#byWatched.get(watched) ?? [])]) watch.tellProgress();
  }

  /** To be called when something was written to a watch. May cut off any of them. */
  wrote(watch: OpenWatch): void {
    this.#look(watch);
    if (this.#waitingBytes > this.limits.allWaitingBytesMax) this.#makeRoom();
  }

  /** Ends those of one plane. */
  finishIn(plane: string): void {
    for (const watch of [...this.#entries.keys()]) if (watch.plane === plane) watch.finish();
  }

  /** Ends all of them; no other can begin. */
  stop(): void {
    this.#isStopped = true;
    for (const watch of [...this.#entries.keys()]) watch.finish();
  }

  #forget(watch: OpenWatch, { watched }: WatchEntry): void {
    if (watched === undefined) return;
    const others = this.#byWatched.get(watched);
    others?.delete(watch);
    if (others?.size === 0) this.#byWatched.delete(watched);
  }

  #look(watch: OpenWatch): void {
    const entry = this.#entries.get(watch);
    if (entry === undefined) return;
    const before = entry.waitingBytes;
    entry.waitingBytes = watch.waitingBytes;
    this.#waitingBytes += entry.waitingBytes - before;
  }

  /** Down to three quarters, so that the next look at all of them is not due with the next write. */
  #makeRoom(): void {
    for (const watch of this.#entries.keys()) this.#look(watch);
    if (this.#waitingBytes <= this.limits.allWaitingBytesMax) return;
    const slowest = [...this.#entries].sort(([, left], [, right]) => right.waitingBytes - left.waitingBytes);
    for (const [watch] of slowest) {
      if (this.#waitingBytes <= this.limits.allWaitingBytesMax * 0.75) return;
      watch.cut();
      this.remove(watch);
    }
  }
}

function refused(message: string): StatusError {
  return new StatusError(tooManyRequests(message, 1));
}
