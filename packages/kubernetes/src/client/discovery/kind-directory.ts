import { failure, StatusError } from "../../protocol/api-status.ts";
import type { Clock } from "../../protocol/clock.ts";
import type { KubeClient } from "../resources/kube-client.ts";
import type { ResourceType } from "../resources/resource-type.ts";
import { untilAborted } from "../until-aborted.ts";
import { type Discovered, discover } from "./discover.ts";

/** A kind of objects, whatever version they are written in. */
export interface KindName {
  /** Empty for the core group. */
  readonly apiGroup: string;
  readonly kind: string;
}

/** How long it is believed that a kind is served. */
const hitMsMax = 30_000;
/** How long it is believed that a kind is not; also how often a server is asked at most. */
const missMsMax = 3_000;
const answerMsMax = 10_000;
/** Answers that are remembered, most of them of a plane each. */
const answersMax = 500;

interface Answer extends Discovered {
  readonly atMs: number;
  /** What it says was not found to be so. */
  isDoubted: boolean;
}

/** Knows under which URL the objects of a kind are, in each control plane. */
export class KindDirectory {
  readonly #clientOf: (plane: string) => KubeClient;
  readonly #clock: Clock;
  readonly #answers = new Map<string, Answer>();
  readonly #asking = new Map<string, Promise<Answer>>();

  constructor(clientOf: (plane: string) => KubeClient, clock: Clock) {
    this.#clientOf = clientOf;
    this.#clock = clock;
  }

  /**
   * The kind in the version that the server prefers; undefined when the server says, or said a moment ago, that it has
   * no objects of this kind to list and watch. Rejects when it does not say.
   */
  async find(plane: string, kind: KindName): Promise<ResourceType | undefined> {
    const known = this.#known(plane, kind.apiGroup);
    const remembered = known && typeIn(known, kind);
    if (known !== undefined && this.#isFresh(known, remembered !== undefined)) return settledType(known, kind);
    return settledType(await this.#ask(plane, kind.apiGroup), kind);
  }

  /** What is known of a plane led to nothing: it is asked anew for the next kind, though not more often than is decent. */
  doubt(plane: string): void {
    for (const [key, answer] of this.#answers) if (key.startsWith(`${plane}\n`)) answer.isDoubted = true;
  }

  #known(plane: string, group: string): Answer | undefined {
    return this.#answers.get(keyOf(plane, group, "all-groups")) ?? this.#answers.get(keyOf(plane, group, "one-group"));
  }

  #isFresh({ atMs, isDoubted }: Answer, isHit: boolean): boolean {
    const ageMs = this.#clock.now() - atMs;
    return ageMs >= 0 && ageMs < (isHit && !isDoubted ? hitMsMax : missMsMax);
  }

  /** Whoever asks for the same at the same time gets the same answer. */
  #ask(plane: string, group: string): Promise<Answer> {
    const key = keyOf(plane, group, "one-group");
    const asking = this.#asking.get(key) ?? this.#discover(plane, group).finally(() => this.#asking.delete(key));
    this.#asking.set(key, asking);
    return asking;
  }

  async #discover(plane: string, group: string): Promise<Answer> {
    const atMs = this.#clock.now(); // when it was asked: what happens meanwhile may not be in the answer
    const patience = new AbortController();
    const late = new Error(`the server of plane "${plane}" did not say within ${answerMsMax} ms which kinds it serves`);
    const timer = this.#clock.after(answerMsMax, () => patience.abort(late));
    try {
      const said = await untilAborted(discover(this.#clientOf(plane), group, patience.signal), patience.signal);
      const answer = { ...said, atMs, isDoubted: false };
      this.#remember(keyOf(plane, group, answer.about), answer);
      return answer;
    } finally {
      timer.stop();
    }
  }

  #remember(key: string, answer: Answer): void {
    this.#answers.delete(key);
    this.#answers.set(key, answer);
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= answersMax) return;
      this.#answers.delete(oldest);
    }
  }
}

function keyOf(plane: string, group: string, about: Discovered["about"]): string {
  return about === "one-group" ? `${plane}\n${group}` : `${plane}\n${group === "" ? "/api" : "/apis"}`;
}

function typeIn({ resources }: Answer, { apiGroup, kind }: KindName): ResourceType | undefined {
  const found = resources.find((resource) => resource.group === apiGroup && resource.kind === kind);
  return found && { group: found.group, version: found.version, plural: found.plural, scope: found.scope };
}

/** Not being in an answer that the server itself calls outdated means nothing. */
function settledType(answer: Answer, kind: KindName): ResourceType | undefined {
  const type = typeIn(answer, kind);
  if (type !== undefined || !answer.staleGroups.includes(kind.apiGroup)) return type;
  const message = `what the server knows of group "${kind.apiGroup}" is out of date`;
  throw new StatusError(failure("ServiceUnavailable", message));
}
