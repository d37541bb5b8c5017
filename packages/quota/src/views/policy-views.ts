import { Informer } from "@milo-quota/kubernetes/client/watch/informer.ts";
import { healthOf, type InformerHealth } from "@milo-quota/kubernetes/client/watch/informer-health.ts";
import { type ClaimCreationPolicy, parseClaimCreationPolicy } from "../core/resources/claim-creation-policy.ts";
import { parseResourceRegistration, type ResourceRegistration } from "../core/resources/resource-registration.ts";
import { ClaimPolicyCache } from "./claim-policy-cache.ts";
import type { PolicyKey } from "./policy-cache.ts";
import { claimPoliciesType, registrationsType } from "./quota-types.ts";
import { RegistrationIndex } from "./registration-index.ts";
import type { Runtime } from "./runtime.ts";

type Started = Pick<Informer<never, unknown>, "start" | "stop" | "synced" | "state" | "size" | "failures">;

export type ViewsRuntime = Pick<Runtime, "planes" | "clock" | "random" | "report">;

/** The caches that both admission and controllers use: registrations and claim policies. */
export class PolicyViews {
  /** Of the root; they apply in all control planes. */
  readonly registrations: Informer<ResourceRegistration, ResourceRegistration>;
  readonly registrationIndex: RegistrationIndex;
  /** Of all control planes. */
  readonly claimPolicies: Informer<ClaimCreationPolicy, ClaimCreationPolicy>;
  readonly claimPolicyCache: ClaimPolicyCache;
  readonly #informers: Record<string, Started> = {};

  constructor({ planes, clock, random, report }: ViewsRuntime) {
    this.registrations = this.addInformer("registrations", {
      source: planes.inRoot(registrationsType),
      parse: parseResourceRegistration,
      transform: (registration) => registration,
      clock,
      random,
      report: (error) => report("registrations", error),
    });
    this.claimPolicies = this.addInformer("claimPolicies", {
      source: planes.everywhere(claimPoliciesType),
      parse: parseClaimCreationPolicy,
      transform: (policy) => policy,
      clock,
      random,
      report: (error) => report("claim policies", error),
    });
    this.registrationIndex = new RegistrationIndex(this.registrations);
    this.claimPolicyCache = new ClaimPolicyCache(planes, this.claimPolicies, this.registrationIndex);
  }

  start(): void {
    for (const informer of Object.values(this.#informers)) informer.start();
  }

  /** The number of claims that a policy has created; undefined without a cache of claims. */
  claimsOfPolicy(_: PolicyKey): number | undefined {
    return undefined;
  }

  /** Resolves when all informers have synced. */
  get ready(): Promise<unknown> {
    return Promise.all([this.claimPolicyCache.ready, ...Object.values(this.#informers).map(({ synced }) => synced)]);
  }

  get health(): readonly InformerHealth[] {
    return healthOf(this.#informers);
  }

  async stop(): Promise<void> {
    await Promise.all(Object.values(this.#informers).map((informer) => informer.stop()));
  }

  /** Creates an informer that starts and stops with these views. */
  protected addInformer<Kind, Kept>(
    name: string,
    options: ConstructorParameters<typeof Informer<Kind, Kept>>[0],
  ): Informer<Kind, Kept> {
    const informer = new Informer<Kind, Kept>(options);
    this.#informers[name] = informer;
    return informer;
  }
}
