import type { RestMapper } from "@milo-quota/kubernetes/client/discovery/rest-mapper.ts";
import { type ApiStatus, resourceForbidden } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import { type ConsumerRef, consumerText } from "../../../core/resources/fields/consumer-ref.ts";
import type { ControlPlanes } from "../../../views/control-planes.ts";
import type { ObjectChange } from "../../object-change.ts";
import { type AccessQuestion, answerMsMax, type ConsumerAccess } from "./consumer-access.ts";
import { type ConsumerRight, ownNamespace, requiredRights } from "./consumer-right.ts";

export interface ConsumerRightsDeps {
  readonly planes: Pick<ControlPlanes, "root" | "planeOf" | "bucketNamespace">;
  readonly restMapper: Pick<RestMapper, "resourceFor">;
  readonly access: Pick<ConsumerAccess, "isAllowed">;
}

const effects = { claim: "it claims quota of", grant: "it grants quota to" } as const;
/** In every API server they may do everything. */
const mastersGroup = "system:masters";

/**
 * Rights on the consumers of claims and grants. RBAC on claims and grants only limits their namespace; without these rights, a
 * user who may write them in one namespace could use up or raise the quota of any consumer.
 */
export class ConsumerRights {
  readonly #deps: ConsumerRightsDeps;

  constructor(deps: ConsumerRightsDeps) {
    this.#deps = deps;
  }

  /** The rejection of a user who lacks a right; undefined if the user has them all. */
  async rejectionOf(change: ObjectChange, signal: AbortSignal): Promise<ApiStatus | undefined> {
    if (change.userInfo.groups.includes(mastersGroup)) return undefined;
    for (const right of requiredRights(change, this.#deps.planes)) {
      const question = await this.#questionFor(right, change);
      if (!(await this.#deps.access.isAllowed(question, signal))) return this.#rejection(change, right, question);
    }
    return undefined;
  }

  async #questionFor({ verb, consumer }: ConsumerRight, { plane, userInfo }: ObjectChange): Promise<AccessQuestion> {
    const { apiGroup: group, name } = consumer;
    const type = await this.#deps.restMapper.resourceFor(plane, consumer);
    const namespace = reviewedNamespace(consumer);
    return { user: userInfo, plane, verb, group, resource: type?.plural ?? "*", namespace, name };
  }

  #rejection(
    { kind, name, plane }: ObjectChange,
    { verb, consumer }: ConsumerRight,
    question: AccessQuestion,
  ): ApiStatus {
    const { group, resource, user } = question;
    const who = `user ${quote(user.username)} lacks the verb ${quote(verb)} on ${resourceText(question)}`;
    const rule = { apiGroups: [group], resources: [resource], resourceNames: [question.name], verbs: [verb] };
    const own = ownNamespace(consumer, plane, this.#deps.planes);
    const elsewhere = own === undefined ? "" : `, or use namespace ${quote(own)}, where this verb is not needed`;
    return resourceForbidden(
      { group: kind.group, resource: kind.plural },
      name,
      `${effects[verb]} ${consumerText(consumer)}, and ${who}. ` +
        `Bind the user to a ClusterRole with the rule ${JSON.stringify(rule)} ` +
        `(in effect within ${answerMsMax / 1_000} seconds)${elsewhere}`,
    );
  }
}

/** A namespace is in itself, as in the requests that Kubernetes authorizes: a RoleBinding in it suffices. */
function reviewedNamespace({ apiGroup, kind, namespace, name }: ConsumerRef): string {
  return apiGroup === "" && kind === "Namespace" ? name : namespace;
}

function resourceText({ group, resource, name }: AccessQuestion): string {
  return `${group === "" ? resource : `${resource}.${group}`} ${quote(name)}`;
}
