import type {
  AdmissionRequest,
  AdmissionTransaction,
  Allowed,
  Verdict,
} from "@milo-quota/apiserver/registry/admission/admission-plugin.ts";
import type { StorageOutcome } from "@milo-quota/kubernetes/protocol/admission-verdict.ts";
import { failure } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { annotations } from "@milo-quota/quota/core/resources/well-known.ts";
import { QuotaSystem } from "@milo-quota/quota/embedded/quota-system.ts";
import { planesOfServer } from "@milo-quota/quota/views/planes-of-server.ts";
import type { AdmissionHistory, AdmittingClaim } from "../invariants/admission-history.ts";
import { layout } from "../world/layout.ts";
import type { SeededRandom } from "../world/seeded-random.ts";
import type { AdmitHook, EmbeddedProgram, Host, World } from "../world/world.ts";
import { sleep } from "./clients.ts";
import { bypassesAdmission, governedType } from "./governed-kinds.ts";

/** Timeout of the whole create, without the time that the disk takes. */
const finishMsMax = 22_000;

/** Quota in one incarnation of the API server. */
interface RunningQuota {
  readonly host: Host;
  readonly plugin: QuotaSystem["plugin"];
  /** Claims of admitted objects by object UID, from the decision until the response. */
  readonly admittedBy: Map<string, readonly AdmittingClaim[]>;
}

/** A request in admission. */
interface PendingAdmission {
  readonly running: RunningQuota;
  readonly request: AdmissionRequest;
  readonly startedMs: number;
}

/**
 * Controllers and admission in the process of the API server, as `milo-quota up` runs them. An admitted object is stored
 * immediately or late, or another plug-in rejects it.
 */
export class EmbeddedQuota {
  readonly #world: World;
  readonly #history: AdmissionHistory;
  readonly #random: SeededRandom;
  readonly #storesImmediately: boolean;
  readonly #unsettled = new Set<string>();
  #running: RunningQuota | undefined;
  #requests = 0;

  /** With `storesImmediately`, admitted objects are stored without delay and no other plug-in rejects them. */
  constructor(world: World, history: AdmissionHistory, { storesImmediately = false } = {}) {
    this.#world = world;
    this.#history = history;
    this.#storesImmediately = storesImmediately;
    this.#random = world.random("door");
    world.embed(this.#program);
    world.setAdmission(this.#admitOrSkip, (leaving) => this.#running?.plugin.companionsOfRemoval(leaving));
  }

  readonly #program: EmbeddedProgram = async (host, server) => {
    // A crashed server no longer stores the objects that it had admitted.
    for (const uid of this.#unsettled) this.#history.objectSettled(uid);
    this.#unsettled.clear();
    this.#running = undefined;
    const { clock, elapsedMs, random, incarnation, report } = host;
    const planes = planesOfServer(host.transport, layout);
    const admittedBy: RunningQuota["admittedBy"] = new Map();
    const system = new QuotaSystem({
      runtime: { planes, clock, elapsedMs, random, incarnation, report },
      secret: incarnation,
      server,
      observer: { onAdmitted: (change, claims) => admittedBy.set(uidIn(change), claims) },
    });
    await system.start();
    if (host.isAlive) this.#running = { host, plugin: system.plugin, admittedBy };
  };

  readonly #admitOrSkip: AdmitHook = async (request, signal) => {
    const running = this.#running;
    // The namespace controller may delete anything, buckets included, so correctness must not depend on rejected deletes.
    if (running === undefined || request.operation === "DELETE" || bypassesAdmission(request)) return { allowed: true };
    if (governedType(request) === undefined) return running.plugin.validate(request, signal);
    return this.#admit(running, request, signal);
  };

  async #admit(running: RunningQuota, request: AdmissionRequest, signal: AbortSignal): Promise<Verdict> {
    const { host, plugin } = running;
    const startedMs = this.#world.nowMs;
    const answered = this.#requestStarted(running, request);
    const verdict = await plugin.validate(request, signal);
    if (!host.isAlive) return new Promise(() => undefined);
    answered(verdict);
    return this.#settle(verdict, { running, request, startedMs });
  }

  /** The verdict as the API server sees it: possibly late, and possibly overruled by another plug-in. */
  async #settle(verdict: Verdict, pending: PendingAdmission): Promise<Verdict> {
    if (!verdict.allowed) return verdict;
    const { running, request, startedMs } = pending;
    const { transaction } = verdict;
    const uid = uidIn(request);
    if (request.operation === "CREATE") this.#recordAdmitted(uid, admittedClaims(verdict, running, uid), pending);
    const delayMs = this.#storeDelayMs();
    if (delayMs > 0) await sleep(running.host, delayMs);
    const onSettled = (outcome: StorageOutcome): void => {
      this.#unsettled.delete(uid);
      this.#history.objectSettled(uid);
      verdict.onSettled?.(outcome);
    };
    const because = this.#rejection(startedMs);
    if (because !== undefined) {
      onSettled({ stored: false });
      return { allowed: false, status: failure("Timeout", because) };
    }
    const orElse: AdmissionTransaction["orElse"] = async (why, signal) => {
      this.#history.admissionRetried(uid);
      const other = await (transaction as AdmissionTransaction).orElse(why, signal);
      if (!running.host.isAlive) return new Promise(() => undefined);
      return this.#settle(other, pending);
    };
    return { allowed: true, onSettled, transaction: transaction && { ...transaction, orElse } };
  }

  #recordAdmitted(uid: string, { claims, areStored }: AdmittedClaims, { startedMs }: PendingAdmission): void {
    this.#unsettled.add(uid);
    if (areStored) this.#history.objectAdmitted(uid, claims, startedMs);
    else this.#history.objectAdmittedWithClaims(uid, claims, startedMs);
  }

  /** Returns a callback that records the answer. */
  #requestStarted({ host }: RunningQuota, request: AdmissionRequest): (verdict: Verdict) => void {
    const uid = uidIn(request);
    const what = `${request.plane}/${request.kind.plural}/${request.name} (${uid})`;
    this.#history.decisionStarted(uid, this.#world.nowMs);
    this.#requests += 1;
    const id = `request ${this.#requests}`;
    this.#history.requestStarted({ id, what, isServerAlive: () => host.isAlive });
    return ({ allowed }) => {
      this.#history.requestAnswered(id);
      this.#world.note(`${host.name}: ${allowed ? "allow" : "reject"} ${what}`);
    };
  }

  #rejection(startedMs: number): string | undefined {
    if (this.#world.nowMs - startedMs > finishMsMax) return "the request took too long";
    return !this.#storesImmediately && !this.#world.areFaultsOver && this.#random.chance(0.05)
      ? "rejected by another plug-in"
      : undefined;
  }

  #storeDelayMs(): number {
    if (this.#storesImmediately || this.#random.chance(0.7)) return 0;
    return this.#random.chance(0.2) ? this.#random.between(500, finishMsMax) : this.#random.between(1, 4);
  }
}

/** The claims of an admitted object, and whether they are stored before it or in the same transaction. */
interface AdmittedClaims {
  readonly claims: readonly AdmittingClaim[];
  readonly areStored: boolean;
}

function admittedClaims({ transaction }: Allowed, { admittedBy }: RunningQuota, uid: string): AdmittedClaims {
  const stored = admittedBy.get(uid) ?? [];
  admittedBy.delete(uid);
  if (transaction === undefined) return { claims: stored, areStored: true };
  const claims = transaction.companions.objects.flatMap((each) => {
    if (each.change !== "create") return [];
    const { uid: claim = "", annotations: noted = {} } = each.object.metadata;
    return [{ uid: claim, policy: noted[annotations.policy] ?? "" }];
  });
  return { claims, areStored: false };
}

function uidIn({ object }: { readonly object?: object | undefined }): string {
  return (object as { readonly metadata?: { readonly uid?: string } } | undefined)?.metadata?.uid ?? "";
}
