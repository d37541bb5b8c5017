import type { PlaneObjectKey } from "@milo-quota/kubernetes/client/watch/plane-object-key.ts";
import { isJsonObject, type JsonObject, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { type ObjectMeta, parseApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { formatTime } from "@milo-quota/kubernetes/protocol/time.ts";
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

/** What a policy requires a stored object to have claimed. */
export type Need =
  | {
      readonly policy: string;
      readonly need: "claim";
      readonly consumer: ConsumerRef;
      readonly parts: readonly ClaimPart[];
    }
  /** The policy does not match the object, or renders no requests for it. */
  | { readonly policy: string; readonly need: "nothing" }
  /** Cannot be determined: the policy reads the request of the user, or its evaluation fails. */
  | { readonly policy: string; readonly need: "unknown"; readonly message: string };

/** What policies rendered for an object at admission. */
export interface AdmittedNeeds {
  readonly uid: string;
  /** The version of the object that was stored. */
  readonly version: string;
  readonly policies: readonly AdmittedPolicy[];
}

interface AdmittedPolicy {
  readonly uid: string;
  readonly generation: number;
  readonly claim: Pick<RenderedClaim, "consumer" | "requests"> | undefined;
}

const admittedMax = 10_000;

/** A placeholder: policies that read the user are not evaluated for stored objects. */
const system: RequestUser = { name: "system:milo-quota", uid: "", groups: [], extra: {} };

const sharedMax = 10_000;
const reportedMax = 1_000;

/** An error in a policy, not in this program. */
class PolicyFailure extends Error {
  override readonly name = "PolicyFailure";
  readonly isExpected = true;
}

/** Evaluates claim policies for stored objects. */
export class ObjectNeeds {
  readonly #runtime: Runtime;
  readonly #policies: ClaimPolicies;
  readonly #readsRequest = new WeakMap<CompiledClaimPolicy, boolean>();
  /** Interned, because most objects have the same needs. */
  readonly #shared = new Map<string, readonly Need[]>();
  readonly #reported = new Set<string>();
  /** By UID of the object, until its event arrives. */
  readonly #admitted = new Map<string, AdmittedNeeds>();
  /** Objects whose event is being handled, if all of their policies were evaluated at admission. */
  readonly #storedWithClaims = new Set<string>();

  constructor(runtime: Runtime, policies: ClaimPolicies) {
    this.#runtime = runtime;
    this.#policies = policies;
  }

  /** Whether the object of the current event was stored together with all of its claims, so that it needs no reconcile. */
  wasStoredWithClaims(uid: string): boolean {
    return this.#storedWithClaims.delete(uid);
  }

  /** Spares evaluating the policies again when the event of the object arrives. */
  recordAdmitted(admitted: AdmittedNeeds): void {
    if (this.#admitted.size >= admittedMax) this.#admitted.clear();
    this.#admitted.set(admitted.uid, admitted);
  }

  of(object: JsonObject, plane: string, kind: GroupKind): readonly Need[] {
    const admitted = this.#takeAdmitted(object);
    // A policy that took effect after the admission of the object has no claim for it yet.
    let isComplete = admitted !== undefined;
    const needs = this.#governing(kind, plane).map((policy) => {
      if (admitted === undefined || this.#dependsOnRequest(policy)) return this.#need(policy, object, plane);
      const known = admittedNeed(policy, admitted);
      if (known === undefined) isComplete = false;
      return known ?? this.#need(policy, object, plane);
    });
    if (admitted !== undefined && isComplete) this.#storedWithClaims.add(admitted.uid);
    const key = needs.map(needText).join("\n");
    const shared = this.#shared.get(key);
    if (shared !== undefined) return shared;
    if (this.#shared.size >= sharedMax) this.#shared.clear();
    this.#shared.set(key, needs);
    return needs;
  }

  /** The policy of this name. Undefined also if two of them apply: their claims could not be told apart. */
  policy(name: string, kind: GroupKind, { plane }: PlaneObjectKey): GoverningPolicy | undefined {
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
      now: formatTime(clock.now()),
    });
  }

  #takeAdmitted(object: JsonObject): AdmittedNeeds | undefined {
    if (this.#admitted.size === 0) return undefined;
    const { uid = "", resourceVersion } = (object["metadata"] ?? {}) as ObjectMeta;
    const admitted = this.#admitted.get(uid);
    if (admitted === undefined) return undefined;
    this.#admitted.delete(uid);
    return admitted.version === resourceVersion ? admitted : undefined;
  }

  #governing(kind: GroupKind, plane: string): readonly GoverningPolicy[] {
    const all = this.#policies.policiesFor(kind, plane);
    const named = (name: string | undefined): number =>
      all.filter(({ policy }) => policy.metadata.name === name).length;
    return all.filter(({ policy }) => named(policy.metadata.name) === 1);
  }

  #need(policy: GoverningPolicy, object: JsonObject, plane: string): Need {
    const name = policy.policy.metadata.name ?? "";
    if (this.#dependsOnRequest(policy)) {
      return {
        policy: name,
        need: "unknown",
        message: "the policy reads the request, which is unknown for a stored object",
      };
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

  /** A policy may fail for every object, and whenever one changes. */
  #reportOnce(message: string): void {
    if (this.#reported.has(message)) return;
    if (this.#reported.size >= reportedMax) this.#reported.clear();
    this.#reported.add(message);
    this.#runtime.report("claims for stored objects", new PolicyFailure(message));
  }

  #dependsOnRequest({ compiled, policy }: GoverningPolicy): boolean {
    const known = this.#readsRequest.get(compiled) ?? readsRequest(policy);
    this.#readsRequest.set(compiled, known);
    return known;
  }
}

function admittedNeed({ policy }: GoverningPolicy, admitted: AdmittedNeeds): Need | undefined {
  const { uid, generation, name = "" } = policy.metadata;
  const found = admitted.policies.find((each) => each.uid === uid && each.generation === generation);
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
