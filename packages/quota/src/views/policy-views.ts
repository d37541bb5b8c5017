import { Informer } from "@milo-quota/kubernetes/client/watch/informer.ts";
import { healthOf, type InformerHealth } from "@milo-quota/kubernetes/client/watch/informer-health.ts";
import { type ClaimCreationPolicy, parseClaimCreationPolicy } from "../core/resources/claim-creation-policy.ts";
import { parseResourceRegistration, type ResourceRegistration } from "../core/resources/resource-registration.ts";
import { ClaimPolicyIndex } from "./claim-policy-index.ts";
import { claimPoliciesType, registrationsType } from "./quota-types.ts";
import { RegistrationIndex } from "./registration-index.ts";
import type { Runtime } from "./runtime.ts";

type Started = Pick<Informer<never, unknown>, "start" | "stop" | "ready" | "state" | "size" | "troubles">;

export type ViewsRuntime = Pick<Runtime, "planes" | "clock" | "random" | "report">;

/** Registrations and claim policies: what admission goes by, and controllers too. */
export class PolicyViews {
  /** Those of the root, which hold in all planes. */
  readonly registrations: Informer<ResourceRegistration, ResourceRegistration>;
  readonly registrationIndex: RegistrationIndex;
  /** Those of all planes. */
  readonly claimPolicies: Informer<ClaimCreationPolicy, ClaimCreationPolicy>;
  readonly claimPolicyIndex: ClaimPolicyIndex;
  readonly #informers: Record<string, Started> = {};

  constructor({ planes, clock, random, report }: ViewsRuntime) {
    this.registrations = this.addInformer("registrations", {
      source: planes.inRoot(registrationsType),
      parse: parseResourceRegistration,
      keep: (registration) => registration,
      clock,
      random,
      report: (error) => report("registrations", error),
    });
    this.claimPolicies = this.addInformer("claimPolicies", {
      source: planes.everywhere(claimPoliciesType),
      parse: parseClaimCreationPolicy,
      keep: (policy) => policy,
      clock,
      random,
      report: (error) => report("claim policies", error),
    });
    this.registrationIndex = new RegistrationIndex(this.registrations);
    this.claimPolicyIndex = new ClaimPolicyIndex(planes, this.claimPolicies, this.registrationIndex);
  }

  start(): void {
    for (const informer of Object.values(this.#informers)) informer.start();
  }

  /** Resolves when everything there was at the start is known. */
  get ready(): Promise<unknown> {
    return Promise.all([this.claimPolicyIndex.ready, ...Object.values(this.#informers).map(({ ready }) => ready)]);
  }

  get health(): readonly InformerHealth[] {
    return healthOf(this.#informers);
  }

  async stop(): Promise<void> {
    await Promise.all(Object.values(this.#informers).map((informer) => informer.stop()));
  }

  /** An informer that starts and stops with these views. */
  protected addInformer<Kind, Kept>(
    name: string,
    options: ConstructorParameters<typeof Informer<Kind, Kept>>[0],
  ): Informer<Kind, Kept> {
    const informer = new Informer<Kind, Kept>(options);
    this.#informers[name] = informer;
    return informer;
  }
}
