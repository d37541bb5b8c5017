import type {
  AdmissionRequest,
  Allowed,
  Verdict,
  WithCompanions,
} from "@milo-quota/apiserver/registry/admission/admission-plugin.ts";
import type { Outcome } from "@milo-quota/kubernetes/protocol/admission-verdict.ts";
import { failure } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { annotations } from "@milo-quota/quota/core/resources/well-known.ts";
import { QuotaSystem } from "@milo-quota/quota/embedded/quota-system.ts";
import { planesOfServer } from "@milo-quota/quota/views/planes-of-server.ts";
import type { AdmissionBook, AdmittingClaim } from "../invariants/admission-book.ts";
import { layout } from "../world/layout.ts";
import type { SeededRandom } from "../world/seeded-random.ts";
import type { Door, Host, Lodger, World } from "../world/world.ts";
import { waitFor } from "./clients.ts";
import { guardedType, isBypassing } from "./guarded-kinds.ts";

/** How long after its beginning a create is still finished. What the disk takes comes on top. */
const finishMsMax = 22_000;

/** Quota as it is in one life of the API server. */
interface Inside {
  readonly host: Host;
  readonly plugin: QuotaSystem["plugin"];
  /** The claims that objects were let in by, from when that is decided until it is answered. */
  readonly behind: Map<string, readonly AdmittingClaim[]>;
}

/** A request that is being admitted. */
interface Asked {
  readonly inside: Inside;
  readonly request: AdmissionRequest;
  readonly begunMs: number;
}

/**
 * Controllers and admission in the process of the API server, as `milo-quota up` has them. What they let in is stored at
 * once or late, or is refused by somebody else.
 */
export class InnerDoor {
  readonly #world: World;
  readonly #book: AdmissionBook;
  readonly #random: SeededRandom;
  readonly #isPrompt: boolean;
  readonly #landing = new Set<string>();
  #inside: Inside | undefined;
  #requests = 0;

  /** A prompt one stores what it lets in at once, and no other plug-in refuses it. */
  constructor(world: World, book: AdmissionBook, { isPrompt = false } = {}) {
    this.#world = world;
    this.#book = book;
    this.#isPrompt = isPrompt;
    this.#random = world.random("door");
    world.lodge(this.#lodger);
    world.guard(this.#guard, (leaving) => this.#inside?.plugin.removing(leaving));
  }

  readonly #lodger: Lodger = async (host, server) => {
    // What a server that crashed was about to store is not stored any more.
    for (const uid of this.#landing) this.#book.landedOrDropped(uid);
    this.#landing.clear();
    this.#inside = undefined;
    const { clock, elapsedMs, random, incarnation, report } = host;
    const planes = planesOfServer(host.transport, layout);
    const behind: Inside["behind"] = new Map();
    const system = new QuotaSystem({
      runtime: { planes, clock, elapsedMs, random, incarnation, report },
      secret: incarnation,
      server,
      told: { admitted: (change, claims) => behind.set(uidIn(change), claims) },
    });
    await system.start();
    if (host.isAlive) this.#inside = { host, plugin: system.plugin, behind };
  };

  readonly #guard: Door = async (request, signal) => {
    const inside = this.#inside;
    // Whoever empties a namespace may delete anything, pages too: nothing here may rest on people not being let.
    if (inside === undefined || request.operation === "DELETE" || isBypassing(request)) return { allowed: true };
    if (guardedType(request) === undefined) return inside.plugin.validate(request, signal);
    return this.#admit(inside, request, signal);
  };

  async #admit(inside: Inside, request: AdmissionRequest, signal: AbortSignal): Promise<Verdict> {
    const { host, plugin } = inside;
    const begunMs = this.#world.nowMs;
    const answered = this.#asked(inside, request);
    const verdict = await plugin.validate(request, signal);
    if (!host.isAlive) return new Promise(() => undefined);
    answered(verdict);
    return this.#land(verdict, { inside, request, begunMs });
  }

  /** An answer as the server gets it: late, perhaps, and perhaps another plug-in refuses after it. */
  async #land(verdict: Verdict, asked: Asked): Promise<Verdict> {
    if (!verdict.allowed) return verdict;
    const { inside, request, begunMs } = asked;
    const { together } = verdict;
    const uid = uidIn(request);
    if (request.operation === "CREATE") this.#mayLand(uid, claimsBehind(verdict, inside, uid), asked);
    const lateMs = this.#lateMs();
    if (lateMs > 0) await waitFor(inside.host, lateMs);
    const settled = (outcome: Outcome): void => {
      this.#landing.delete(uid);
      this.#book.landedOrDropped(uid);
      verdict.settled?.(outcome);
    };
    const because = this.#refusal(begunMs);
    if (because !== undefined) {
      settled({ stored: false });
      return { allowed: false, status: failure("Timeout", because) };
    }
    const orElse: WithCompanions["orElse"] = async (why, signal) => {
      this.#book.askedAgain(uid);
      const other = await (together as WithCompanions).orElse(why, signal);
      if (!inside.host.isAlive) return new Promise(() => undefined);
      return this.#land(other, asked);
    };
    return { allowed: true, settled, together: together && { ...together, orElse } };
  }

  #mayLand(uid: string, { claims, areStored }: Behind, { begunMs }: Asked): void {
    this.#landing.add(uid);
    if (areStored) this.#book.allowed(uid, claims, begunMs);
    else this.#book.allowedTogether(uid, claims, begunMs);
  }

  /** Returns how to say that it was answered. */
  #asked({ host }: Inside, request: AdmissionRequest): (verdict: Verdict) => void {
    const uid = uidIn(request);
    const what = `${request.plane}/${request.kind.plural}/${request.name} (${uid})`;
    this.#book.begun(uid, this.#world.nowMs);
    this.#requests += 1;
    const id = `request ${this.#requests}`;
    this.#book.asked({ id, what, isAttended: () => host.isAlive });
    return ({ allowed }) => {
      this.#book.answered(id);
      if (!allowed) this.#book.refused();
      this.#world.note(`${host.name}: ${allowed ? "allow" : "refuse"} ${what}`);
    };
  }

  #refusal(begunMs: number): string | undefined {
    if (this.#world.nowMs - begunMs > finishMsMax) return "the request took too long";
    return !this.#isPrompt && !this.#world.isCalm && this.#random.chance(0.05) ? "another plug-in refuses" : undefined;
  }

  #lateMs(): number {
    if (this.#isPrompt || this.#random.chance(0.7)) return 0;
    return this.#random.chance(0.2) ? this.#random.between(500, finishMsMax) : this.#random.between(1, 4);
  }
}

/** The claims that an object is let in by, and whether they are stored before it. */
interface Behind {
  readonly claims: readonly AdmittingClaim[];
  readonly areStored: boolean;
}

function claimsBehind({ together }: Allowed, { behind }: Inside, uid: string): Behind {
  const stored = behind.get(uid) ?? [];
  behind.delete(uid);
  if (together === undefined) return { claims: stored, areStored: true };
  const claims = together.companions.objects.flatMap((each) => {
    if (each.change !== "create") return [];
    const { uid: claim = "", annotations: noted = {} } = each.object.metadata;
    return [{ uid: claim, policy: noted[annotations.policy] ?? "" }];
  });
  return { claims, areStored: false };
}

function uidIn({ object }: { readonly object?: object | undefined }): string {
  return (object as { readonly metadata?: { readonly uid?: string } } | undefined)?.metadata?.uid ?? "";
}
