import { type Outcome, settled, WorkQueue } from "@milo-quota/kubernetes/client/queue/work-queue.ts";
import type { ResourceClient } from "@milo-quota/kubernetes/client/resources/resource-client.ts";
import type { ObjectPlace } from "@milo-quota/kubernetes/client/watch/object-place.ts";
import { organizationNamespace } from "../../core/resources/object-tenant.ts";
import {
  type OrganizationMembership,
  organizationMembershipDefinition,
  parseOrganizationMembership,
} from "../resources/organization-membership.ts";
import type { TenancyRuntime } from "../tenancy-runtime.ts";
import { type MembershipRecord, membershipRecord } from "../tenant-records.ts";
import { atRoot, type TenantViews } from "../tenant-views.ts";
import { type Readiness, writeReadiness } from "./tenant-writes.ts";

/** Lets memberships say whether they give any rights. What rights they give does not depend on it. */
export class MembershipController {
  readonly #runtime: TenancyRuntime;
  readonly #views: TenantViews;
  readonly #queue: WorkQueue<ObjectPlace>;
  readonly #memberships: ResourceClient<OrganizationMembership>;
  readonly #subscriptions: readonly (() => void)[];

  constructor(runtime: TenancyRuntime, views: TenantViews) {
    this.#runtime = runtime;
    this.#views = views;
    const { client, clock, random, report } = runtime;
    this.#memberships = client.resource(organizationMembershipDefinition, parseOrganizationMembership);
    this.#queue = new WorkQueue<ObjectPlace>({
      work: (place, signal) => this.#reconcile(place, signal),
      idOf: ({ namespace, name }) => `${namespace}/${name}`,
      told: runtime.toldQueues?.("memberships"),
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
    let isLive = false; // every membership that there is already is told of anyway
    const about = (is: (membership: MembershipRecord, name: string) => boolean) => {
      const queueThose = ({ name }: ObjectPlace): void => {
        if (isLive) this.#queueWhere((membership) => is(membership, name));
      };
      return { added: queueThose, removed: queueThose };
    };
    const own = (place: ObjectPlace): void => this.#queue.add(place);
    const subscriptions = [
      memberships.subscribe({ added: own, changed: own }),
      organizations.subscribe(about(({ organization }, name) => organization === name)),
      users.subscribe(about(({ member }, name) => "user" in member && member.user === name)),
    ];
    isLive = true;
    return subscriptions;
  }

  #queueWhere(isMeant: (membership: MembershipRecord) => boolean): void {
    for (const [place, membership] of this.#views.memberships.entries()) {
      if (isMeant(membership)) this.#queue.add(place);
    }
  }

  async #reconcile(place: ObjectPlace, signal: AbortSignal): Promise<Outcome> {
    const known = this.#views.memberships.get(place);
    if (known === undefined || known.shown === this.#readinessOf(known).reason) return settled;
    const membership = await this.#memberships.find(place, signal);
    const record = membership === undefined ? undefined : membershipRecord(membership);
    if (membership === undefined || record === undefined) return settled;
    const { clock } = this.#runtime;
    const readiness = this.#readinessOf(record);
    await writeReadiness({ client: this.#memberships, clock }, membership, { readiness }, signal);
    return settled;
  }

  #readinessOf({ organization, member, isInPlace }: MembershipRecord): Readiness {
    const { organizations, users } = this.#views;
    const no = (reason: string, message: string): Readiness => ({ status: "False", reason, message });
    if (!isInPlace)
      return no("WrongNamespace", `it gives rights in namespace ${organizationNamespace(organization)} alone`);
    if (organizations.get(atRoot(organization)) === undefined) {
      return no("OrganizationNotFound", `there is no Organization "${organization}"`);
    }
    if ("user" in member && users.get(atRoot(member.user)) === undefined) {
      return no("UserNotFound", `there is no User "${member.user}"`);
    }
    return { status: "True", reason: "MembershipActive", message: `it gives rights in Organization "${organization}"` };
  }
}
