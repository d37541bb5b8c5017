import { type ReconcileResult, reconciled, WorkQueue } from "@milo-quota/kubernetes/client/queue/work-queue.ts";
import type { ResourceClient } from "@milo-quota/kubernetes/client/resources/resource-client.ts";
import type { PlaneObjectKey } from "@milo-quota/kubernetes/client/watch/plane-object-key.ts";
import { organizationNamespace } from "../../core/resources/object-tenant.ts";
import {
  type OrganizationMembership,
  organizationMembershipDefinition,
  parseOrganizationMembership,
} from "../resources/organization-membership.ts";
import type { TenancyRuntime } from "../tenancy-runtime.ts";
import { type MembershipRecord, membershipRecord } from "../tenant-records.ts";
import { inRoot, type TenantViews } from "../tenant-views.ts";
import { type Readiness, writeReadiness } from "./tenant-writes.ts";

/** Writes the Ready condition of memberships. The authorizer does not depend on it. */
export class MembershipController {
  readonly #runtime: TenancyRuntime;
  readonly #views: TenantViews;
  readonly #queue: WorkQueue<PlaneObjectKey>;
  readonly #memberships: ResourceClient<OrganizationMembership>;
  readonly #subscriptions: readonly (() => void)[];

  constructor(runtime: TenancyRuntime, views: TenantViews) {
    this.#runtime = runtime;
    this.#views = views;
    const { client, clock, random, report } = runtime;
    this.#memberships = client.resource(organizationMembershipDefinition, parseOrganizationMembership);
    this.#queue = new WorkQueue<PlaneObjectKey>({
      reconcile: (key, signal) => this.#reconcile(key, signal),
      idOf: ({ namespace, name }) => `${namespace}/${name}`,
      observer: runtime.queueObservers?.("memberships"),
      clock,
      random,
      report: (error, { namespace, name }) => report(`OrganizationMembership "${namespace}/${name}"`, error),
    });
    this.#subscriptions = this.#subscribe();
  }

  async stop(): Promise<void> {
    for (const end of this.#subscriptions) end();
    await this.#queue.stop();
  }

  #subscribe(): readonly (() => void)[] {
    const { memberships, organizations, users } = this.#views;
    let isLive = false; // the informer delivers existing memberships anyway
    const relatedTo = (isRelated: (membership: MembershipRecord, name: string) => boolean) => {
      const queueRelated = ({ name }: PlaneObjectKey): void => {
        if (isLive) this.#queueWhere((membership) => isRelated(membership, name));
      };
      return { onAdd: queueRelated, onDelete: queueRelated };
    };
    const queueSelf = (key: PlaneObjectKey): void => this.#queue.add(key);
    const subscriptions = [
      memberships.subscribe({ onAdd: queueSelf, onUpdate: queueSelf }),
      organizations.subscribe(relatedTo(({ organization }, name) => organization === name)),
      users.subscribe(relatedTo(({ member }, name) => "user" in member && member.user === name)),
    ];
    isLive = true;
    return subscriptions;
  }

  #queueWhere(matches: (membership: MembershipRecord) => boolean): void {
    for (const [key, membership] of this.#views.memberships.entries()) {
      if (matches(membership)) this.#queue.add(key);
    }
  }

  async #reconcile(key: PlaneObjectKey, signal: AbortSignal): Promise<ReconcileResult> {
    const known = this.#views.memberships.get(key);
    if (known === undefined || known.shownReason === this.#readinessOf(known).reason) return reconciled;
    const membership = await this.#memberships.find(key, signal);
    const record = membership === undefined ? undefined : membershipRecord(membership);
    if (membership === undefined || record === undefined) return reconciled;
    const { clock } = this.#runtime;
    const readiness = this.#readinessOf(record);
    await writeReadiness({ client: this.#memberships, clock }, membership, { readiness }, signal);
    return reconciled;
  }

  #readinessOf({ organization, member, isInOwnNamespace }: MembershipRecord): Readiness {
    const { organizations, users } = this.#views;
    const notReady = (reason: string, message: string): Readiness => ({ status: "False", reason, message });
    if (!isInOwnNamespace)
      return notReady("WrongNamespace", `the membership must be in namespace ${organizationNamespace(organization)}`);
    if (organizations.get(inRoot(organization)) === undefined) {
      return notReady("OrganizationNotFound", `Organization "${organization}" not found`);
    }
    if ("user" in member && users.get(inRoot(member.user)) === undefined) {
      return notReady("UserNotFound", `User "${member.user}" not found`);
    }
    return {
      status: "True",
      reason: "MembershipActive",
      message: `the member has rights in Organization "${organization}"`,
    };
  }
}
