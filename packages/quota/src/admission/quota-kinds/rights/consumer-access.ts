import { LruCache } from "@milo-quota/kubernetes/client/events/lru-cache.ts";
import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import { isJsonObject, type JsonObject, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";

/** What a SubjectAccessReview asks about. */
export interface AccessQuestion {
  readonly user: UserInfo;
  readonly plane: string;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** How long an answer is reused. */
export const answerMsMax = 10_000;
const answersMax = 1_000;
/** Users may have many groups: longer questions are not cached. */
const keyLengthMax = 4_096;

const reviewType: ResourceType = {
  group: "authorization.k8s.io",
  version: "v1",
  plural: "subjectaccessreviews",
  scope: "Cluster",
};

interface Answer {
  readonly isAllowed: boolean;
  readonly atMs: number;
}

/** Asks the API server of a control plane what a user may do. Rejects when it does not answer. */
export class ConsumerAccess {
  readonly #clientOf: (plane: string) => KubeClient;
  readonly #clock: Clock;
  readonly #answers = new LruCache<Answer>(answersMax);

  constructor(clientOf: (plane: string) => KubeClient, clock: Clock) {
    this.#clientOf = clientOf;
    this.#clock = clock;
  }

  async isAllowed(question: AccessQuestion, signal: AbortSignal): Promise<boolean> {
    const key = keyOf(question);
    const known = this.#answers.get(key);
    const atMs = this.#clock.now(); // before the request: the answer may miss later changes
    if (known !== undefined && atMs >= known.atMs && atMs - known.atMs < answerMsMax) return known.isAllowed;
    const isAllowed = await this.#ask(question, signal);
    if (key.length <= keyLengthMax) this.#answers.set(key, { isAllowed, atMs });
    return isAllowed;
  }

  async #ask({ user, plane, verb, group, resource, namespace, name }: AccessQuestion, signal: AbortSignal) {
    const { username, groups, uid, extra } = user;
    const review = {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      metadata: {},
      spec: {
        resourceAttributes: { verb, group, version: "*", resource, namespace, name },
        user: username,
        groups,
        ...(uid === "" ? {} : { uid }),
        extra,
      },
    } satisfies KubernetesObject & { readonly spec: object };
    const answer = await this.#clientOf(plane).resource(reviewType, anyObject).create(review, {}, signal);
    const status = ownValue(answer as JsonObject, "status");
    return isJsonObject(status) && ownValue(status, "allowed") === true;
  }
}

function keyOf({ user, plane, verb, group, resource, namespace, name }: AccessQuestion): string {
  const { username, uid, groups, extra } = user;
  return JSON.stringify([plane, verb, group, resource, namespace, name, username, uid, groups, extra]);
}
