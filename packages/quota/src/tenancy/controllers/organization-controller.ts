import { again, type Outcome, settled, WorkQueue } from "@milo-quota/kubernetes/client/queue/work-queue.ts";
import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { namespacesType } from "@milo-quota/kubernetes/client/resources/namespaces.ts";
import type { ResourceClient } from "@milo-quota/kubernetes/client/resources/resource-client.ts";
import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { organizationNamespace, organizationOfNamespace } from "../../core/resources/object-tenant.ts";
import { type Organization, organizationDefinition, parseOrganization } from "../resources/organization.ts";
import { parseProject, projectDefinition } from "../resources/project.ts";
import type { TenancyRuntime } from "../tenancy-runtime.ts";
import { isDeleting, isKept } from "../tenant-records.ts";
import { atRoot, type TenantViews } from "../tenant-views.ts";
import { ensureOrganizationNamespace, removeNamespace } from "./organization-namespace.ts";
import { hold, release, unlessOvertaken, writeReadiness } from "./tenant-writes.ts";

/** How soon it is looked at again whether something is gone whose end is not told. */
const lookAgainMs = 1_000;

/** Gives every organization its namespace; when it goes, its projects and its namespace go before it. */
export class OrganizationController {
  readonly #runtime: TenancyRuntime;
  readonly #views: TenantViews;
  readonly #queue: WorkQueue<string>;
  readonly #organizations: ResourceClient<Organization>;
  readonly #namespaces: ResourceClient<KubernetesObject>;
  readonly #subscriptions: readonly (() => void)[];

  constructor(runtime: TenancyRuntime, views: TenantViews) {
    this.#runtime = runtime;
    this.#views = views;
    const { client, clock, random, report } = runtime;
    this.#organizations = client.resource(organizationDefinition, parseOrganization);
    this.#namespaces = client.resource(namespacesType, anyObject);
    this.#queue = new WorkQueue({
      work: (name, signal) => this.#reconcile(name, signal),
      idOf: (name) => name,
      told: runtime.toldQueues?.("organizations"),
      clock,
      random,
      report: (error, name) => report(`Organization "${name}"`, error),
    });
    this.#subscriptions = this.#subscribe();
  }

  async stop(): Promise<void> {
    for (const end of this.#subscriptions) end();
    await this.#queue.stop();
  }

  #subscribe(): readonly (() => void)[] {
    const { organizations, projects, namespaces } = this.#views;
    const own = ({ name }: { readonly name: string }): void => this.#queue.add(name);
    const ofNamespace = ({ name }: { readonly name: string }): void => {
      const organization = organizationOfNamespace(name);
      if (organization !== undefined) this.#queue.add(organization);
    };
    return [
      organizations.subscribe({ added: own, changed: own }),
      // Projects matter to an organization that goes, and to no other.
      projects.subscribe({
        added: (_, { organization }) => this.#queueDeleting(organization),
        removed: (_, { organization }) => this.#queueDeleting(organization),
      }),
      namespaces.subscribe({ changed: ofNamespace, removed: ofNamespace }),
    ];
  }

  #queueDeleting(organization: string): void {
    const found = this.#views.organizations.get(atRoot(organization));
    if (found?.isDeleting === true) this.#queue.add(organization);
  }

  async #reconcile(name: string, signal: AbortSignal): Promise<Outcome> {
    if (this.#isInOrder(name)) return settled;
    const organization = await this.#organizations.find({ name }, signal);
    if (organization === undefined) return settled;
    return isDeleting(organization.metadata) ? this.#remove(organization, signal) : this.#provide(organization, signal);
  }

  #isInOrder(name: string): boolean {
    const organization = this.#views.organizations.get(atRoot(name));
    const namespace = this.#views.namespaces.get(atRoot(organizationNamespace(name)));
    return organization?.isSettled === true && namespace?.owners.includes(organization.uid) === true;
  }

  async #provide(found: Organization, signal: AbortSignal): Promise<Outcome> {
    // Held before anything is made for it, so that nothing is left behind.
    const organization = isKept(found.metadata) ? found : await hold(this.#organizations, found, undefined, signal);
    const namespace = organizationNamespace(organization.metadata.name ?? "");
    const state = await ensureOrganizationNamespace(this.#namespaces, organization, signal);
    const readiness =
      state === "ready"
        ? ({ status: "True", reason: "OrganizationReady", message: `namespace ${namespace} is there` } as const)
        : ({
            status: "False",
            reason: "NamespaceTerminating",
            message: `namespace ${namespace} is still there from before, and is being removed`,
          } as const);
    await this.#write(organization, { phase: state === "ready" ? "Active" : "Pending", namespace, readiness }, signal);
    return state === "ready" ? settled : again(lookAgainMs);
  }

  async #remove(found: Organization, signal: AbortSignal): Promise<Outcome> {
    if (!isKept(found.metadata)) return settled;
    const message = "projects and namespace are being removed";
    const readiness = { status: "False", reason: "Deleting", message } as const;
    const organization = await this.#write(found, { phase: "Terminating", readiness }, signal);
    if ((await this.#removeProjects(organization, signal)) > 0) return again(lookAgainMs);
    if ((await removeNamespace(this.#namespaces, organization, signal)) === "terminating") return again(lookAgainMs);
    await release(this.#organizations, organization, signal);
    return settled;
  }

  /** How many there were, as of a moment after the organization was known to go. */
  async #removeProjects({ metadata }: Organization, signal: AbortSignal): Promise<number> {
    await this.#views.projects.fresh(signal);
    const projects = this.#runtime.client.resource(projectDefinition, parseProject);
    const own = [...this.#views.projects.entries()].filter(([, { organization }]) => organization === metadata.name);
    for (const [{ name }, { uid, isDeleting: isGoing }] of own) {
      if (!isGoing) await projects.delete({ name }, { uid }, signal).catch(unlessOvertaken);
    }
    return own.length;
  }

  #write(
    organization: Organization,
    status: Parameters<typeof writeReadiness>[2],
    signal: AbortSignal,
  ): Promise<Organization> {
    const { clock } = this.#runtime;
    return writeReadiness({ client: this.#organizations, clock }, organization, status, signal);
  }
}
