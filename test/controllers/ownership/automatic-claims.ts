import { RestMapper } from "@milo-quota/kubernetes/client/discovery/rest-mapper.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { OwnerReference } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { ForcedClaim } from "@milo-quota/quota/controllers/ownership/forced/missing-claim-creator.ts";
import { Ownership, type OwnershipDeps } from "@milo-quota/quota/controllers/ownership/ownership.ts";
import { ClaimPolicyReadiness } from "@milo-quota/quota/controllers/policies/claim-policy-readiness.ts";
import { RegistrationController } from "@milo-quota/quota/controllers/registration-controller.ts";
import { ForcedClaims } from "@milo-quota/quota/controllers/writer/claims/forced-claims.ts";
import type { ClaimPart } from "@milo-quota/quota/core/ledger/claim-knowledge.ts";
import { candidatesOf } from "@milo-quota/quota/core/resources/claim-candidates.ts";
import { parseResourceClaim } from "@milo-quota/quota/core/resources/resource-claim.ts";
import { annotations, labels } from "@milo-quota/quota/core/resources/well-known.ts";
import { claimsType } from "@milo-quota/quota/views/quota-types.ts";
import { TriggerSchemas } from "@milo-quota/quota/views/trigger-schemas.ts";
import { organization, type QuotaWorld } from "../grants/quota-world.ts";

const { signal } = new AbortController();
export const configMaps: ResourceType = { group: "", version: "v1", plural: "configmaps", scope: "Namespaced" };
export const namespaces: ResourceType = { group: "", version: "v1", plural: "namespaces", scope: "Cluster" };

export interface ClaimFor {
  readonly uids?: readonly string[];
  readonly bound?: string;
  readonly kind?: string;
  readonly apiGroup?: string;
  readonly object?: string;
  readonly objectNamespace?: string;
  /** Plane of the object, if not root. */
  readonly objectPlane?: string;
  readonly finalizers?: readonly string[];
  readonly manual?: boolean;
  readonly amount?: number;
  readonly plane?: string;
}

/** Creates objects, and claims as admission does. */
export class AutomaticClaims {
  readonly world: QuotaWorld;
  readonly events: string[] = [];
  readonly shrunk: string[] = [];
  readonly forced: { readonly name: string; readonly policy: string; readonly reason: string }[] = [];
  readonly verdicts = new ForcedClaims();

  constructor(world: QuotaWorld) {
    this.world = world;
  }

  start(options: Partial<OwnershipDeps> = {}): Ownership {
    const { runtime, views, clock } = this.world;
    const restMapper = new RestMapper((plane) => runtime.planes.client(plane), clock);
    const record = (plane: string, subject: { name: string }, happening: { reason: string; message: string }): void => {
      this.events.push(`${plane}/${subject.name} ${happening.reason}: ${happening.message}`);
    };
    const shrink = (place: { name: string }, _: string, parts: readonly ClaimPart[]): void => {
      this.shrunk.push(
        `${place.name} ${parts.map(({ resourceType, amount }) => `${resourceType}=${amount}`).join(" ")}`,
      );
    };
    const onForced = ({ claim, policy, reason }: ForcedClaim): void => {
      this.forced.push({ name: claim.key.name, policy, reason });
    };
    const given = {
      runtime,
      views,
      policies: views.claimPolicyCache,
      restMapper,
      forced: this.verdicts,
      shrinker: { shrink },
    };
    return this.world.run(new Ownership({ ...given, events: { record }, onForced, ...options }));
  }

  /** Policies with the controllers that set their readiness. */
  startPolicies(): void {
    const { runtime, views, clock } = this.world;
    const restMapper = new RestMapper((plane) => runtime.planes.client(plane), clock);
    const events = { record: () => undefined };
    const policies = views.claimPolicyCache;
    this.world.run(
      new ClaimPolicyReadiness({
        runtime,
        policies,
        restMapper,
        enforcement: "Enforce",
        events,
        schemas: new TriggerSchemas(runtime),
      }),
    );
    this.world.run(new RegistrationController(runtime, views));
  }

  async configMap(name: string, plane = "root", more: object = {}): Promise<string> {
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default", ...more } };
    return uidOf(await this.world.create(configMaps, object, plane));
  }

  async claim(name: string, given: ClaimFor): Promise<string> {
    const {
      uids = [],
      bound,
      kind = "ConfigMap",
      apiGroup = "",
      object = "thing",
      objectNamespace = "default",
    } = given;
    const noted = {
      [annotations.policy]: "things",
      [annotations.candidates]: uids.join(","),
      ...(bound === undefined ? {} : { [annotations.bound]: bound }),
      ...(given.objectPlane === undefined ? {} : { [annotations.resourcePlane]: given.objectPlane }),
    };
    const metadata = {
      name,
      namespace: "default",
      labels: given.manual === true ? {} : { [labels.autoCreated]: "true" },
      annotations: noted,
      finalizers: given.finalizers ?? [],
    };
    const resourceRef = { apiGroup, kind, namespace: objectNamespace, name: object };
    const requests = [{ resourceType: "projects", amount: given.amount ?? 1 }];
    const spec = { consumerRef: { ...organization, name: "acme" }, requests, resourceRef };
    const claim = { apiVersion: "quota.miloapis.com/v1alpha1", kind: "ResourceClaim", metadata, spec };
    return uidOf(await this.world.create(claimsType, claim, given.plane));
  }

  async answer(name: string, reason: "QuotaAvailable" | "QuotaExceeded", plane = "root"): Promise<void> {
    const lastTransitionTime = "2026-01-01T00:00:00Z";
    const isGranted = reason === "QuotaAvailable";
    const status = isGranted ? "True" : "False";
    const conditions = [{ type: "Granted", status, reason, message: `because of ${reason}`, lastTransitionTime }];
    const found = await this.find(name, plane);
    const allocations = (found?.claim.requests ?? []).map(({ resourceType, amount }) => ({
      resourceType,
      status: isGranted ? "Granted" : "Denied",
      allocatedAmount: isGranted ? Number(amount) : 0,
      lastTransitionTime,
    }));
    const body = { status: { conditions, allocations } };
    const ref = { namespace: found?.claim.metadata.namespace ?? "", name };
    await this.world.resource(claimsType, plane).patch(ref, { type: "merge", body }, { subresource: "status" }, signal);
  }

  /** Candidates and bound object of a claim; undefined if it does not exist. */
  async find(name: string, plane = "root", namespace = "default") {
    const object = await this.world.find(claimsType, name, { plane, namespace });
    if (object === undefined) return undefined;
    const parsed = parseResourceClaim(object);
    if (!parsed.ok) throw new Error(parsed.issues.map(({ message }) => message).join());
    const { metadata } = parsed.value;
    return {
      claim: parsed.value,
      listed: candidatesOf(metadata),
      bound: metadata.annotations?.[annotations.bound],
      owners: (metadata.ownerReferences ?? []) as readonly OwnerReference[],
      finalizers: metadata.finalizers ?? [],
      isGoing: metadata.deletionTimestamp !== undefined,
    };
  }

  async names(plane = "root"): Promise<readonly string[]> {
    const { items } = await this.world.resource(claimsType, plane).list({}, signal);
    return items.map((item) => (item["metadata"] as { name: string }).name).sort();
  }

  note(name: string, noted: Record<string, string | null>): Promise<JsonObject> {
    return this.world.patch(claimsType, name, { metadata: { annotations: noted } });
  }
}

export function uidOf(object: JsonObject): string {
  return (object["metadata"] as { uid: string }).uid;
}
