import type { PlaneObjectKey } from "@milo-quota/kubernetes/client/watch/plane-object-key.ts";
import { type GroupKind, groupKindText } from "../core/resources/fields/consumer-ref.ts";
import type { Running } from "../views/runtime.ts";
import { KindInformer, type KindInformerOptions, type KindInformerPhase } from "./kind-informer.ts";

/** Each kind costs a watch and a cache. */
const kindsMax = 500;

/** An informer for each of a changing set of kinds, in all control planes. A failing kind does not affect the others. */
export class KindInformers<Kept> implements Running {
  readonly #options: KindInformerOptions<Kept>;
  readonly #informers = new Map<string, KindInformer<Kept>>();
  readonly #stopping = new Set<Promise<void>>();
  #isStopped = false;

  constructor(options: KindInformerOptions<Kept>) {
    this.#options = options;
  }

  /** Watches exactly these kinds. The handler is not called for kinds that are dropped. */
  setKinds(kinds: readonly GroupKind[]): void {
    if (this.#isStopped) return;
    const wanted = new Map(kinds.map((kind) => [groupKindText(kind), kind]));
    for (const [text, informer] of this.#informers) if (!wanted.has(text)) this.#drop(text, informer);
    for (const [text, kind] of wanted) if (!this.#informers.has(text)) this.#start(text, kind);
  }

  get(kind: GroupKind, key: PlaneObjectKey): Kept | undefined {
    return this.#informers.get(groupKindText(kind))?.get(key);
  }

  entries(kind: GroupKind): Iterable<readonly [PlaneObjectKey, Kept]> {
    return this.#informers.get(groupKindText(kind))?.entries() ?? [];
  }

  /** `starting` also for a kind that is not watched. */
  phase(kind: GroupKind): KindInformerPhase {
    return this.#informers.get(groupKindText(kind))?.phase ?? "starting";
  }

  /** Applies `keep` to all objects of a kind again, after its result may have changed. */
  refilter(kind: GroupKind): void {
    this.#informers.get(groupKindText(kind))?.refilter();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const [text, informer] of this.#informers) this.#drop(text, informer);
    await Promise.all(this.#stopping);
  }

  #start(text: string, kind: GroupKind): void {
    if (this.#informers.size < kindsMax) {
      this.#informers.set(text, new KindInformer(kind, this.#options));
      return;
    }
    const { runtime, owner } = this.#options;
    runtime.report(`${owner} ${text}`, new RangeError(`more than ${kindsMax} kinds; this one is not watched`));
  }

  #drop(text: string, informer: KindInformer<Kept>): void {
    this.#informers.delete(text);
    const stopping: Promise<void> = informer.stop().finally(() => this.#stopping.delete(stopping));
    this.#stopping.add(stopping);
  }
}
