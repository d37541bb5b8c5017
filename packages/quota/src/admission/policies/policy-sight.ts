import type { Random } from "@milo-quota/kubernetes/client/backoff.ts";
import { Informer } from "@milo-quota/kubernetes/client/watch/informer.ts";
import { healthOf, type InformerHealth } from "@milo-quota/kubernetes/client/watch/informer-health.ts";
import type { ObjectSource } from "@milo-quota/kubernetes/client/watch/object-source.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import type { CompiledClaimPolicy } from "../../core/policy/claim-policy.ts";
import { PolicyIndex } from "../../core/policy/policy-index.ts";
import { claimPolicyRules, type PolicyPlanes } from "../../core/policy/policy-rules.ts";
import { type ClaimCreationPolicy, parseClaimCreationPolicy } from "../../core/resources/claim-creation-policy.ts";
import type { GroupKind } from "../../core/resources/fields/consumer-ref.ts";
import { parseResourceRegistration, type ResourceRegistration } from "../../core/resources/resource-registration.ts";
import type { RegistrationView } from "../../core/resources/rules/registration-rules.ts";
import { SeenRegistrations } from "./seen-registrations.ts";
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

/** Hears of claim policies as they come and go. */
export interface PolicyListener {
  changed?(type: "add" | "update" | "delete"): void;
  /** A policy was taken in, compiled, and judged. */
  loaded?(): void;
}

interface OtherPolicy {
  readonly plane: string;
  readonly policy: ClaimCreationPolicy;
  readonly kind: GroupKind;
}

/** The claim policies at work, as admission sees them: by kind, compiled. */
export class PolicySight implements RegistrationView {
  readonly #policies: Informer<ClaimCreationPolicy, ClaimCreationPolicy>;
  readonly #registrations: Informer<ResourceRegistration, ResourceRegistration>;
  readonly #index: PolicyIndex<ClaimCreationPolicy, CompiledClaimPolicy>;
  readonly #root: string;
  readonly #told: PolicyListener;
  /** Policies that are switched off, by plane and name. */
  readonly #disabled = new Map<string, OtherPolicy>();
  readonly #seen = new SeenRegistrations();

  constructor({ planes, policies, registrations, clock, random, report, told = {} }: PolicySightOptions) {
    this.#root = planes.root;
    this.#told = told;
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
        told.changed?.("add");
        this.#load(plane, policy);
      },
      changed: ({ plane }, _, policy) => {
        told.changed?.("update");
        this.#load(plane, policy);
      },
      removed: ({ plane, name }) => {
        told.changed?.("delete");
        this.#index.remove(plane, name);
        this.#disabled.delete(keyOf(plane, name));
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

  /** Those that are switched off, and would have a say otherwise. */
  disabledFor({ apiGroup, kind }: GroupKind, plane: string): readonly ClaimCreationPolicy[] {
    if (this.#disabled.size === 0) return [];
    return [...this.#disabled.values()]
      .filter((other) => other.kind.kind === kind && other.kind.apiGroup === apiGroup)
      .filter((other) => other.plane === this.#root || other.plane === plane)
      .map(({ policy }) => policy);
  }

  get informers(): readonly InformerHealth[] {
    return healthOf({ registrations: this.#registrations, claimPolicies: this.#policies }, "admission-");
  }

  /** How many policies are at work. */
  get activeCount(): number {
    let count = 0;
    for (const { verdict } of this.#index.entries()) if (verdict.state === "ready") count += 1;
    return count;
  }

  byResourceType(resourceType: string): readonly ResourceRegistration[] {
    return this.#seen.byResourceType(resourceType);
  }

  async stop(): Promise<void> {
    await Promise.all([this.#registrations.stop(), this.#policies.stop()]);
  }

  #load(plane: string, policy: ClaimCreationPolicy): void {
    const name = policy.metadata.name ?? "";
    this.#index.put(plane, policy);
    this.#told.loaded?.();
    const entry = this.#index.get(plane, name);
    if (entry?.verdict.state === "disabled")
      this.#disabled.set(keyOf(plane, name), { plane, policy, kind: entry.kind });
    else this.#disabled.delete(keyOf(plane, name));
  }

  #register(registration: ResourceRegistration): void {
    this.#seen.add(registration);
    this.#index.rejudge(registration.resourceType);
  }

  #unregister(registration: ResourceRegistration): void {
    this.#seen.remove(registration);
    this.#index.rejudge(registration.resourceType);
  }
}

function keyOf(plane: string, name: string): string {
  return `${plane}\n${name}`;
}
