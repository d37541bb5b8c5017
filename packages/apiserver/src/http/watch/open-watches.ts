import { StatusError, tooManyRequests } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";
import { mastersGroup } from "../access/well-known-users.ts";

export interface WatchLimits {
  /** Unread bytes of one client; beyond, its watch pauses until the client has read them. */
  readonly waitingBytesMax: number;
  /** Unread bytes of all clients; beyond, the watches that are furthest behind are cut. */
  readonly allWaitingBytesMax: number;
  /** How long a client may take to read pending bytes before its watch is cut. */
  readonly stalledMsMax: number;
  readonly bookmarkMs: number;
  /** Minimum duration of a watch without timeoutSeconds; the actual one is up to twice as long, at random. */
  readonly durationMsMin: number;
  readonly countMax: number;
  /** Watches of one user. Masters are limited by the total only. */
  readonly countPerUserMax: number;
}

const mebi = 1024 * 1024;

const defaultWatchLimits: WatchLimits = {
  waitingBytesMax: mebi,
  allWaitingBytesMax: 256 * mebi,
  stalledMsMax: 60_000,
  bookmarkMs: 60_000,
  durationMsMin: 30 * 60_000,
  countMax: 20_000,
  countPerUserMax: 2_000,
};

/** A stream as seen by OpenWatches. */
export interface OpenWatch {
  readonly waitingBytes: number;
  /** Undefined for a watch of all planes. */
  readonly plane: string | undefined;
  /** Sends a bookmark with the current revision, as soon as everything up to it was sent. */
  requestBookmark(): void;
  /** Ends the stream normally. */
  finish(): void;
  /** Cuts the stream because its client is too far behind. */
  cut(): void;
}

interface WatchEntry {
  readonly username: string;
  /** Identifies the watched objects to callers that request progress. */
  readonly watched: string | undefined;
  /** As of the last update; it may be less by now. */
  waitingBytes: number;
}

/** All open watches; enforces the limits that span several of them. */
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

  /** Throws a StatusError (TooManyRequests) when this user may not open another watch. */
  requireRoomFor({ username, groups }: UserInfo): void {
    const { countMax, countPerUserMax } = this.limits;
    if (this.#isStopped) throw rejected("The server is stopping, please try again later.");
    if (this.#entries.size >= countMax) throw rejected(`Too many watches: ${countMax} are open already.`);
    const isOver = (this.#perUser.get(username) ?? 0) >= countPerUserMax;
    if (isOver && !groups.includes(mastersGroup)) {
      throw rejected(`Too many watches: ${countPerUserMax} of this user are open already.`);
    }
  }

  /** `watched` identifies the objects if progress may be requested for them. */
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
    this.#drop(watch, entry);
    this.#waitingBytes -= entry.waitingBytes;
    const left = (this.#perUser.get(entry.username) ?? 1) - 1;
    if (left === 0) this.#perUser.delete(entry.username);
    else this.#perUser.set(entry.username, left);
  }

  /** Requests a bookmark on all watches of these objects. */
  requestBookmarks(watched: string): void {
    for (const watch of [...(this.#byWatched.get(watched) ?? [])]) watch.requestBookmark();
  }

  /** To be called after a write to a watch. May cut any of them. */
  wrote(watch: OpenWatch): void {
    this.#update(watch);
    if (this.#waitingBytes > this.limits.allWaitingBytesMax) this.#makeRoom();
  }

  /** Ends the watches of one plane. */
  finishIn(plane: string): void {
    for (const watch of [...this.#entries.keys()]) if (watch.plane === plane) watch.finish();
  }

  /** Ends all watches; no other can be opened. */
  stop(): void {
    this.#isStopped = true;
    for (const watch of [...this.#entries.keys()]) watch.finish();
  }

  #drop(watch: OpenWatch, { watched }: WatchEntry): void {
    if (watched === undefined) return;
    const others = this.#byWatched.get(watched);
    others?.delete(watch);
    if (others?.size === 0) this.#byWatched.delete(watched);
  }

  #update(watch: OpenWatch): void {
    const entry = this.#entries.get(watch);
    if (entry === undefined) return;
    const before = entry.waitingBytes;
    entry.waitingBytes = watch.waitingBytes;
    this.#waitingBytes += entry.waitingBytes - before;
  }

  /** Down to three quarters, so that the next write does not trigger the scan of all watches again. */
  #makeRoom(): void {
    for (const watch of this.#entries.keys()) this.#update(watch);
    if (this.#waitingBytes <= this.limits.allWaitingBytesMax) return;
    const slowest = [...this.#entries].sort(([, left], [, right]) => right.waitingBytes - left.waitingBytes);
    for (const [watch] of slowest) {
      if (this.#waitingBytes <= this.limits.allWaitingBytesMax * 0.75) return;
      watch.cut();
      this.remove(watch);
    }
  }
}

function rejected(message: string): StatusError {
  return new StatusError(tooManyRequests(message, 1));
}
