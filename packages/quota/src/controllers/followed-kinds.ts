import type { ObjectPlace } from "@milo-quota/kubernetes/client/watch/object-place.ts";
import { type GroupKind, groupKindText } from "../core/resources/fields/consumer-ref.ts";
import type { Running } from "../views/runtime.ts";
import { FollowedKind, type FollowedKindOptions, type FollowedPhase } from "./followed-kind.ts";

/** Each is a watch, and what it keeps. */
const kindsMax = 500;

/** The objects of kinds that are only known while the program runs, in all planes. One that is broken stops no other. */
export class FollowedKinds<Kept> implements Running {
  readonly #options: FollowedKindOptions<Kept>;
  readonly #followed = new Map<string, FollowedKind<Kept>>();
  readonly #ending = new Set<Promise<void>>();
  #isStopped = false;

  constructor(options: FollowedKindOptions<Kept>) {
    this.#options = options;
  }

  /** Follows these, and no others: of what is not wanted any more nothing is kept, and nothing told. */
  want(kinds: readonly GroupKind[]): void {
    if (this.#isStopped) return;
    const wanted = new Map(kinds.map((kind) => [groupKindText(kind), kind]));
    for (const [text, followed] of this.#followed) if (!wanted.has(text)) this.#drop(text, followed);
    for (const [text, kind] of wanted) if (!this.#followed.has(text)) this.#follow(text, kind);
  }

  get(kind: GroupKind, place: ObjectPlace): Kept | undefined {
    return this.#followed.get(groupKindText(kind))?.get(place);
  }

  entries(kind: GroupKind): Iterable<readonly [ObjectPlace, Kept]> {
    return this.#followed.get(groupKindText(kind))?.entries() ?? [];
  }

  /** A kind that nobody wants is never more than starting. */
  phase(kind: GroupKind): FollowedPhase {
    return this.#followed.get(groupKindText(kind))?.phase ?? "starting";
  }

  /** Asks again what is to be kept of all objects of a kind, after the question has changed. */
  rekeep(kind: GroupKind): void {
    this.#followed.get(groupKindText(kind))?.rekeep();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const [text, followed] of this.#followed) this.#drop(text, followed);
    await Promise.all(this.#ending);
  }

  #follow(text: string, kind: GroupKind): void {
    if (this.#followed.size < kindsMax) {
      this.#followed.set(text, new FollowedKind(kind, this.#options));
      return;
    }
    const { runtime, where } = this.#options;
    runtime.report(`${where} ${text}`, new RangeError(`more than ${kindsMax} kinds; this one is not followed`));
  }

  #drop(text: string, followed: FollowedKind<Kept>): void {
    this.#followed.delete(text);
    const ending: Promise<void> = followed.stop().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}
