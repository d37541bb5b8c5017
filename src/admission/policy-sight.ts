import type { CompiledClaimPolicy } from "../core/policy/claim-policy.ts";
import { PolicyIndex } from "../core/policy/policy-index.ts";
import { claimPolicyRules, type PolicyPlanes } from "../core/policy/policy-rules.ts";
import { type ClaimCreationPolicy, parseClaimCreationPolicy } from "../core/resources/claim-creation-policy.ts";
import type { GroupKind } from "../core/resources/consumer-ref.ts";
import type { RegistrationView } from "../core/resources/registration-rules.ts";
import { parseResourceRegistration, type ResourceRegistration } from "../core/resources/resource-registration.ts";
import type { Random } from "../kube/backoff.ts";
import { Informer } from "../kube/watch/informer.ts";
import type { ObjectSource } from "../kube/watch/object-source.ts";
import type { Clock } from "../protocol/clock.ts";
import type { ClaimPolicy } from "./wanted-claims.ts";

export interface PolicySightOptions {
  readonly planes: PolicyPlanes;
  /** Claim policies of all planes. */
  readonly policies: ObjectSource;
  /** Registrations of the root. */
  readonly registrations: ObjectSource;
  readonly clock: Clock;
  readonly random: Random;
  readonly report: (where: string, error: unknown) => void;
  readonly told?: PolicyListener;
}

export interface PolicyListener {
  changed?(type: "add" | "update" | "delete"): void;
}

/** The claim policies at work, as admission sees them: by kind, compiled. */
export class PolicySight implements RegistrationView {
  readonly #policies: Informer<ClaimCreationPolicy, ClaimCreationPolicy>;
  readonly #registrations: Informer<ResourceRegistration, ResourceRegistration>;
  readonly #index: PolicyIndex<ClaimCreationPolicy, CompiledClaimPolicy>;
  readonly #byType = new Map<string, Map<string, ResourceRegistration>>();

  constructor({ planes, policies, registrations, clock, random, report, told = {} }: PolicySightOptions) {
    this.#index = new PolicyIndex(planes.root, claimPolicyRules(planes, this));
    this.#registrations = new Informer<ResourceRegistration, ResourceRegistration>({
      source: registrations,
      parse: parseResourceRegistration,
      keep: (registration) => registration,
      clock,
      random,
      report: (error) => report("registrations, for admission", error),
    });
    this.#policies = new Informer<ClaimCreationPolicy, ClaimCreationPolicy>({
      source: policies,
      parse: parseClaimCreationPolicy,
      keep: (policy) => policy,
      clock,
      random,
      report: (error) => report("claim policies, for admission", error),
    });
    this.#registrations.subscribe({
      added: (_, now) => this.#register(now),
      changed: (_, before, now) => {
        this.#unregister(before);
        this.#register(now);
      },
      removed: (_, before) => this.#unregister(before),
    });
    this.#policies.subscribe({
      added: ({ plane }, policy) => {
        this.#index.put(plane, policy);
        told.changed?.("add");
      },
      changed: ({ plane }, _, policy) => {
        this.#index.put(plane, policy);
        told.changed?.("update");
      },
      removed: ({ plane, name }) => {
        this.#index.remove(plane, name);
        told.changed?.("delete");
      },
    });
  }

  start(): void {
    this.#registrations.start();
    this.#policies.start();
  }

  /** Until then nobody knows which policies there are, and nothing can be let in. */
  get isReady(): boolean {
    return this.#registrations.isReady && this.#policies.isReady;
  }

  get ready(): Promise<unknown> {
    return Promise.all([this.#registrations.ready, this.#policies.ready]);
  }

  policiesFor(kind: GroupKind, plane: string): readonly ClaimPolicy[] {
    return this.#index.policiesFor(kind, plane);
  }

  byResourceType(resourceType: string): readonly ResourceRegistration[] {
    return [...(this.#byType.get(resourceType)?.values() ?? [])];
  }

  async stop(): Promise<void> {
    await Promise.all([this.#registrations.stop(), this.#policies.stop()]);
  }

  #register(registration: ResourceRegistration): void {
    const { resourceType, metadata } = registration;
    const own = this.#byType.get(resourceType) ?? new Map<string, ResourceRegistration>();
    own.set(metadata.name ?? "", registration);
    this.#byType.set(resourceType, own);
    this.#index.rejudge(resourceType);
  }

  #unregister({ resourceType, metadata }: ResourceRegistration): void {
    const own = this.#byType.get(resourceType);
    own?.delete(metadata.name ?? "");
    if (own?.size === 0) this.#byType.delete(resourceType);
    this.#index.rejudge(resourceType);
  }
}
