import type { ObjectPlace } from "@milo-quota/kubernetes/client/watch/object-place.ts";
import { isJsonObject, type JsonObject, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { type ObjectMeta, parseApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { timeText } from "@milo-quota/kubernetes/protocol/time.ts";
import type { ClaimPart } from "../../../core/ledger/claim-knowledge.ts";
import {
  type ClaimRendering,
  type CompiledClaimPolicy,
  type RenderedClaim,
  readsRequest,
} from "../../../core/policy/claim-policy.ts";
import type { RequestInfo, RequestUser } from "../../../core/policy/policy-variables.ts";
import { type ConsumerRef, consumerKey, type GroupKind } from "../../../core/resources/fields/consumer-ref.ts";
import { dimensionKey } from "../../../core/resources/fields/dimensions.ts";
import type { ClaimRequest } from "../../../core/resources/resource-claim.ts";
import { planeLabel, planeOfConsumer } from "../../../views/control-planes.ts";
import type { Runtime } from "../../../views/runtime.ts";
import type { ClaimPolicies, GoverningPolicy } from "../claim-policies.ts";

/** What a policy wants to have claimed for an object as it is stored. */
export type Need =
  | {
      readonly policy: string;
      readonly need: "claim";
      readonly consumer: ConsumerRef;
      readonly parts: readonly ClaimPart[];
    }
  /** The policy is not about this object, or the object needs nothing. */
  | { readonly policy: string; readonly need: "nothing" }
  /** Nobody can tell: the policy asks who made the object, or fails. */
  | { readonly policy: string; readonly need: "unknown"; readonly message: string };

/** What policies made of an object when it was admitted. */
export interface NotedNeeds {
  readonly uid: string;
  /** The version of the object that was stored. */
  readonly version: string;
  readonly policies: readonly NotedPolicy[];
}

interface NotedPolicy {
  readonly uid: string;
  readonly generation: number;
  readonly claim: Pick<RenderedClaim, "consumer" | "requests"> | undefined;
}

const notedMax = 10_000;

/** Nobody asks: what was stored is looked at. Policies that look at the one who asks are not evaluated at all. */
const system: RequestUser = { name: "system:milo-quota", uid: "", groups: [], extra: {} };

const sharedMax = 10_000;
const reportedMax = 1_000;

/** A mistake of whoever wrote the policy, and none in this program. */
class PolicyFailure extends Error {
  override readonly name = "PolicyFailure";
  readonly isExpected = true;
}

/** Asks policies about objects that are stored already. */
export class ObjectNeeds {
  readonly #runtime: Runtime;
  readonly #policies: ClaimPolicies;
  readonly #asksWho = new WeakMap<CompiledClaimPolicy, boolean>();
  /** Most objects need the same. */
  readonly #shared = new Map<string, readonly Need[]>();
  readonly #reported = new Set<string>();
  /** By UID of the object, until it is seen. */
  readonly #noted = new Map<string, NotedNeeds>();
  /** Of these, the objects that are being told of, if all policies about them were asked at admission. */
  readonly #justSeen = new Set<string>();

  constructor(runtime: Runtime, policies: ClaimPolicies) {
    this.#runtime = runtime;
    this.#policies = policies;
  }

  /** Whether an object was just seen that came together with its claims: nothing is to be done about them. */
  cameWithClaims(uid: string): boolean {
    return this.#justSeen.delete(uid);
  }

  /** Policies that were asked when an object was admitted are not asked again when it is seen. */
  note(noted: NotedNeeds): void {
    if (this.#noted.size >= notedMax) this.#noted.clear();
    this.#noted.set(noted.uid, noted);
  }

  of(object: JsonObject, plane: string, kind: GroupKind): readonly Need[] {
    const noted = this.#takeNoted(object);
    // A policy that went to work after the object was admitted has no claim for it yet.
    let isComplete = noted !== undefined;
    const needs = this.#governing(kind, plane).map((policy) => {
      if (noted === undefined || this.#looksAtRequest(policy)) return this.#need(policy, object, plane);
      const known = notedNeed(policy, noted);
      if (known === undefined) isComplete = false;
      return known ?? this.#need(policy, object, plane);
    });
    if (noted !== undefined && isComplete) this.#justSeen.add(noted.uid);
    const key = needs.map(needText).join("\n");
    const shared = this.#shared.get(key);
    if (shared !== undefined) return shared;
    if (this.#shared.size >= sharedMax) this.#shared.clear();
    this.#shared.set(key, needs);
    return needs;
  }

  /** The policy of this name, if there is exactly one for objects there: of two nobody could tell whose a claim is. */
  policy(name: string, kind: GroupKind, { plane }: ObjectPlace): GoverningPolicy | undefined {
    return this.#governing(kind, plane).find(({ policy }) => policy.metadata.name === name);
  }

  render({ compiled, policy, plane: policyPlane }: GoverningPolicy, object: JsonObject, plane: string): ClaimRendering {
    const { planes, clock } = this.#runtime;
    const trigger = {
      ...object,
      apiVersion: object["apiVersion"] ?? policy.trigger.apiVersion,
      kind: policy.trigger.kind,
    };
    return compiled.evaluate({
      trigger,
      user: system,
      requestInfo: requestFor(trigger),
      plane: planeLabel(planes, plane),
      policyPlane: planeLabel(planes, policyPlane),
      tenantOf: (stored) => planes.tenantOf(plane, stored),
      bucketNamespace: (consumer) => planes.bucketNamespace(consumer),
      isElsewhere: (consumer) => planeOfConsumer(planes, consumer, plane) !== plane,
      now: timeText(clock.now()),
    });
  }

  #takeNoted(object: JsonObject): NotedNeeds | undefined {
    if (this.#noted.size === 0) return undefined;
    const { uid = "", resourceVersion } = (object["metadata"] ?? {}) as ObjectMeta;
    const noted = this.#noted.get(uid);
    if (noted === undefined) return undefined;
    this.#noted.delete(uid);
    return noted.version === resourceVersion ? noted : undefined;
  }

  #governing(kind: GroupKind, plane: string): readonly GoverningPolicy[] {
    const all = this.#policies.policiesFor(kind, plane);
    const named = (name: string | undefined): number =>
      all.filter(({ policy }) => policy.metadata.name === name).length;
    return all.filter(({ policy }) => named(policy.metadata.name) === 1);
  }

  #need(policy: GoverningPolicy, object: JsonObject, plane: string): Need {
    const name = policy.policy.metadata.name ?? "";
    if (this.#looksAtRequest(policy)) {
      return { policy: name, need: "unknown", message: "the policy looks at who asks, which is known to nobody now" };
    }
    const rendering = this.render(policy, object, plane);
    switch (rendering.outcome) {
      case "claim": {
        const { consumer, requests } = rendering.claim;
        return { policy: name, need: "claim", consumer, parts: requests.map(partOf) };
      }
      case "failed":
        this.#reportOnce(rendering.message);
        return { policy: name, need: "unknown", message: rendering.message };
      case "nothing":
      case "differs":
        return { policy: name, need: "nothing" };
      default:
        throw new Error(`unknown rendering ${rendering satisfies never}`);
    }
  }

  /** It may fail for every object there is, and whenever one changes. */
  #reportOnce(message: string): void {
    if (this.#reported.has(message)) return;
    if (this.#reported.size >= reportedMax) this.#reported.clear();
    this.#reported.add(message);
    this.#runtime.report("claims for stored objects", new PolicyFailure(message));
  }

  #looksAtRequest({ compiled, policy }: GoverningPolicy): boolean {
    const known = this.#asksWho.get(compiled) ?? readsRequest(policy);
    this.#asksWho.set(compiled, known);
    return known;
  }
}

function notedNeed({ policy }: GoverningPolicy, noted: NotedNeeds): Need | undefined {
  const { uid, generation, name = "" } = policy.metadata;
  const found = noted.policies.find((each) => each.uid === uid && each.generation === generation);
  if (found === undefined) return undefined;
  const { claim } = found;
  if (claim === undefined) return { policy: name, need: "nothing" };
  return { policy: name, need: "claim", consumer: claim.consumer, parts: claim.requests.map(partOf) };
}

export function partOf({ resourceType, dimensions, amount }: ClaimRequest): ClaimPart {
  return { resourceType, dimensionKey: dimensionKey(dimensions), amount };
}

function needText(need: Need): string {
  if (need.need === "unknown") return `${need.policy} ? ${need.message}`;
  if (need.need === "nothing") return `${need.policy} -`;
  const parts = need.parts.map(({ resourceType, dimensionKey: key, amount }) => `${resourceType} ${key} ${amount}`);
  return `${need.policy} ${consumerKey(need.consumer)} ${parts.join(" ")}`;
}

function requestFor(object: JsonObject): RequestInfo {
  const metadata = ownValue(object, "metadata");
  const text = (from: unknown, field: string): string => {
    const value = isJsonObject(from) ? ownValue(from, field) : undefined;
    return typeof value === "string" ? value : "";
  };
  const { group, version } = parseApiVersion(text(object, "apiVersion"));
  return {
    verb: "create",
    apiGroup: group,
    apiVersion: version,
    resource: "",
    subresource: "",
    namespace: text(metadata, "namespace"),
    name: text(metadata, "name"),
  };
}
