import type { KindDirectory } from "@milo-quota/kubernetes/client/discovery/kind-directory.ts";
import type { EventRecorder } from "@milo-quota/kubernetes/client/events/event-recorder.ts";
import { again, type Outcome, settled, WorkQueue } from "@milo-quota/kubernetes/client/queue/work-queue.ts";
import { untilAborted } from "@milo-quota/kubernetes/client/until-aborted.ts";
import type { ObjectPlace } from "@milo-quota/kubernetes/client/watch/object-place.ts";
import { type GrantOrigin, originId } from "../../core/policy/grant-origin.ts";
import { type GroupKind, groupKindText, sameGroupKind } from "../../core/resources/fields/consumer-ref.ts";
import type { GrantPolicyIndex } from "../../views/grant-policy-index.ts";
import type { Running, Runtime } from "../../views/runtime.ts";
import type { Views } from "../../views/views.ts";
import type { PolicyPlace } from "../../views/watched-policies.ts";
import { FollowedKinds } from "../followed-kinds.ts";
import { ObjectReader } from "../ownership/objects/object-reader.ts";
import { isConflict, isWorthReporting } from "../status/quiet-conflicts.ts";
import { originOf, planeOfLabel, type WishfulTrigger, wishesOf } from "./grant-wishes.ts";
import { GrantWriter, type WantedGrant } from "./grant-writer.ts";
import { GrantsByOrigin } from "./grants-by-origin.ts";
import { knownWish, policyOf } from "./known-wish.ts";
import { liveWish } from "./live-wish.ts";
import type { ParentContexts } from "./parent-contexts.ts";
import { PlanePatience } from "./plane-patience.ts";
import { PolicyChanges } from "./policy-changes.ts";
import { PolicyProblems } from "./policy-problems.ts";
import { WritePace } from "./write-pace.ts";

export interface GrantEngineOptions {
  readonly runtime: Runtime;
  readonly views: Pick<Views, "grants">;
  readonly index: GrantPolicyIndex;
  readonly directory: Pick<KindDirectory, "find" | "doubt">;
  readonly parents: ParentContexts;
  readonly events: Pick<EventRecorder, "record">;
}

/** How soon it is looked again when what was heard and what is read do not agree. */
const disagreementMs = 5_000;

/** Makes the grants that policies want for objects, keeps them as the policies say, and takes them away again. */
export class GrantEngine implements Running {
  readonly #options: GrantEngineOptions;
  readonly #queue: WorkQueue<GrantOrigin>;
  readonly #followed: FollowedKinds<WishfulTrigger>;
  readonly #made: GrantsByOrigin;
  readonly #writer: GrantWriter;
  readonly #reader: ObjectReader;
  readonly #problems: PolicyProblems;
  readonly #patience: PlanePatience;
  readonly #pace: WritePace;
  readonly #unsubscribe: () => void;

  constructor(options: GrantEngineOptions) {
    this.#options = options;
    const { runtime, views, index, directory, events } = options;
    this.#queue = new WorkQueue({
      work: (origin, signal) => this.#reconcile(origin, signal),
      idOf: originId,
      laneOf: ({ plane }) => plane,
      told: runtime.toldQueues?.("grant-policies"),
      clock: runtime.clock,
      random: runtime.random,
      report: (error, origin, failures) => {
        if (isWorthReporting(error, failures)) runtime.report(`grant engine, ${textOf(origin)}`, error);
      },
    });
    this.#writer = new GrantWriter(runtime.planes, views.grants);
    this.#reader = new ObjectReader(runtime.planes, directory);
    this.#pace = new WritePace(runtime.elapsedMs);
    this.#patience = new PlanePatience(runtime);
    this.#problems = new PolicyProblems(index, events);
    this.#followed = this.#followTriggers();
    this.#made = new GrantsByOrigin(views.grants, (origin) => this.#queue.add(origin));
    const changes = new PolicyChanges(index);
    this.#unsubscribe = index.onChange((policy) => this.#policyChanged(policy, changes.kindsAffected(policy)));
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    this.#made.stop();
    await Promise.all([this.#followed.stop(), this.#queue.stop()]);
  }

  #followTriggers(): FollowedKinds<WishfulTrigger> {
    const { runtime, index, directory } = this.#options;
    return new FollowedKinds({
      runtime,
      directory,
      where: "grant engine",
      planesOf: (kind) =>
        [...index.entries()].filter((policy) => sameGroupKind(policy.kind, kind)).map(({ plane }) => plane),
      keep: (object, plane, kind) => wishesOf(object, { plane, kind }, { planes: runtime.planes, index }),
      handler: {
        added: (kind, place, now) => this.#look(kind, place, now),
        changed: (kind, place, before, now) => this.#look(kind, place, before, now),
        removed: (kind, place, before) => this.#look(kind, place, before),
        settled: (kind) => this.#lookAtMade((origin) => sameGroupKind(origin.kind, kind)),
      },
    });
  }

  /** When a policy changes, what it makes of objects is found out anew. */
  #policyChanged(policy: PolicyPlace, kinds: readonly GroupKind[]): void {
    if (kinds.length === 0) return;
    const { index, runtime } = this.#options;
    this.#followed.want(index.kinds());
    for (const kind of kinds) this.#followed.rekeep(kind);
    this.#lookAtMade((origin) => {
      const { plane, name } = policyOf(origin, runtime.planes);
      return plane === policy.plane && name === policy.name;
    });
  }

  #look(kind: GroupKind, place: ObjectPlace, ...triggers: readonly WishfulTrigger[]): void {
    for (const { policy } of triggers.flatMap(({ wishes }) => wishes)) {
      this.#queue.add(originOf(policy, kind, place, this.#options.runtime.planes));
    }
  }

  #lookAtMade(isMeant: (origin: GrantOrigin) => boolean): void {
    for (const origin of this.#made.origins(isMeant)) this.#queue.add(origin);
  }

  async #reconcile(origin: GrantOrigin, signal: AbortSignal): Promise<Outcome> {
    const { runtime, views, index, parents } = this.#options;
    await untilAborted(Promise.all([index.ready, views.grants.ready]), signal);
    const wish = knownWish(origin, { planes: runtime.planes, index, followed: this.#followed });
    if (wish.outcome === "unknown") {
      if (wish.problem !== undefined) this.#problem(origin, wish.problem);
      return settled;
    }
    if (wish.outcome === "grant") {
      const waitMs = await this.#ensure(wish.wanted, signal);
      if (waitMs > 0) return again(waitMs);
    } else parents.forget(policyOf(origin, runtime.planes), originId(origin));
    this.#problems.solved(originId(origin));
    return this.#removeOthers(origin, wish.outcome === "grant" ? wish.wanted.place : undefined, signal);
  }

  /** Gives how long to wait, if it is not done because it was done too often. */
  async #ensure(wanted: WantedGrant, signal: AbortSignal): Promise<number> {
    const { origin, grant } = wanted;
    const { parents, runtime } = this.#options;
    try {
      if (!this.#writer.isDone(wanted)) {
        const waitMs = this.#pace.waitMs(originId(origin));
        if (waitMs > 0) return waitMs;
        await this.#patience.ask(wanted.place.plane, signal, (life) => this.#writer.write(wanted, life));
      }
    } catch (error) {
      if (!signal.aborted && !isConflict(error)) this.#problem(origin, messageOf(error), grant.parent !== undefined);
      throw error;
    }
    if (grant.parent !== undefined) parents.note(policyOf(origin, runtime.planes), originId(origin));
    return 0;
  }

  /** Tells people; what keeps a grant from another control plane also shows in the policy's conditions. */
  #problem(origin: GrantOrigin, message: string, isOfParent = message.includes("spec.target.parentContext")): void {
    const { parents, runtime } = this.#options;
    const policy = policyOf(origin, runtime.planes);
    const text = `${textOf(origin)}: ${message}`;
    if (isOfParent) parents.note(policy, originId(origin), text);
    this.#problems.tell(policy, originId(origin), text);
  }

  /** Grants that are not wanted, or not there: gone, but only if servers say so when they are asked. */
  async #removeOthers(origin: GrantOrigin, wanted: ObjectPlace | undefined, signal: AbortSignal): Promise<Outcome> {
    const others = this.#made.of(origin).filter((place) => !isSame(place, wanted));
    if (others.length === 0) return settled;
    const { planes } = this.#options.runtime;
    const live = await this.#patience.ask(planeOfLabel(origin.plane, planes), signal, (life) =>
      liveWish(origin, { planes, reader: this.#reader }, life),
    );
    if (live.outcome === "unknown") return settled;
    const unwanted = others.filter((place) => live.outcome === "nothing" || !isSame(place, live.place));
    for (const place of unwanted) {
      await this.#patience.ask(place.plane, signal, (life) => this.#writer.remove(place, life));
    }
    return unwanted.length === others.length ? settled : again(disagreementMs);
  }
}

function isSame(left: ObjectPlace, right: ObjectPlace | undefined): boolean {
  return left.plane === right?.plane && left.namespace === right.namespace && left.name === right.name;
}

/** The object, as people know it. */
function textOf({ kind, plane, namespace, name }: GrantOrigin): string {
  const path = namespace === "" ? name : `${namespace}/${name}`;
  return `${groupKindText(kind)} "${path}"${plane === "" ? "" : ` in control plane "${plane}"`}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
