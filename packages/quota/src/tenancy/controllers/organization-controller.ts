import {
  type ReconcileResult,
  reconciled,
  requeueAfter,
  WorkQueue,
} from "@milo-quota/kubernetes/client/queue/work-queue.ts";
import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { namespacesType } from "@milo-quota/kubernetes/client/resources/namespaces.ts";
import type { ResourceClient } from "@milo-quota/kubernetes/client/resources/resource-client.ts";
import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { organizationNamespace, organizationOfNamespace } from "../../core/resources/object-tenant.ts";
import { type Organization, organizationDefinition, parseOrganization } from "../resources/organization.ts";
import { parseProject, projectDefinition } from "../resources/project.ts";
import type { TenancyRuntime } from "../tenancy-runtime.ts";
import { hasTenancyFinalizer, isDeleting } from "../tenant-records.ts";
import { inRoot, type TenantViews } from "../tenant-views.ts";
import { ensureOrganizationNamespace, removeNamespace } from "./organization-namespace.ts";
import { addFinalizer, ignoreConflict, removeFinalizer, writeReadiness } from "./tenant-writes.ts";

/** Poll interval for deletions that trigger no reconcile. */
const pollMs = 1_000;

/** Creates the namespace of each organization. Deletes the projects and the namespace before the organization. */
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
      reconcile: (name, signal) => this.#reconcile(name, signal),
      idOf: (name) => name,
      observer: runtime.queueObservers?.("organizations"),
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
      organizations.subscribe({ onAdd: own, onUpdate: own }),
      // Only a terminating organization waits for its projects.
      projects.subscribe({
        onAdd: (_, { organization }) => this.#queueDeleting(organization),
        onDelete: (_, { organization }) => this.#queueDeleting(organization),
      }),
      namespaces.subscribe({ onUpdate: ofNamespace, onDelete: ofNamespace }),
    ];
  }

  #queueDeleting(organization: string): void {
    const found = this.#views.organizations.get(inRoot(organization));
    if (found?.isDeleting === true) this.#queue.add(organization);
  }

  async #reconcile(name: string, signal: AbortSignal): Promise<ReconcileResult> {
    if (this.#isUpToDate(name)) return reconciled;
    const organization = await this.#organizations.find({ name }, signal);
    if (organization === undefined) return reconciled;
    return isDeleting(organization.metadata) ? this.#remove(organization, signal) : this.#ensure(organization, signal);
  }

  #isUpToDate(name: string): boolean {
    const organization = this.#views.organizations.get(inRoot(name));
    const namespace = this.#views.namespaces.get(inRoot(organizationNamespace(name)));
    return organization?.isSettled === true && namespace?.owners.includes(organization.uid) === true;
  }

  async #ensure(found: Organization, signal: AbortSignal): Promise<ReconcileResult> {
    // The finalizer comes first, so that nothing is left behind when the organization is deleted.
    const organization = hasTenancyFinalizer(found.metadata)
      ? found
      : await addFinalizer(this.#organizations, found, undefined, signal);
    const namespace = organizationNamespace(organization.metadata.name ?? "");
    const state = await ensureOrganizationNamespace(this.#namespaces, organization, signal);
    const readiness =
      state === "ready"
        ? ({ status: "True", reason: "OrganizationReady", message: `namespace ${namespace} exists` } as const)
        : ({
            status: "False",
            reason: "NamespaceTerminating",
            message: `an earlier namespace ${namespace} is still terminating`,
          } as const);
    await this.#write(organization, { phase: state === "ready" ? "Active" : "Pending", namespace, readiness }, signal);
    return state === "ready" ? reconciled : requeueAfter(pollMs);
  }

  async #remove(found: Organization, signal: AbortSignal): Promise<ReconcileResult> {
    if (!hasTenancyFinalizer(found.metadata)) return reconciled;
    const message = "projects and namespace are being deleted";
    const readiness = { status: "False", reason: "Deleting", message } as const;
    const organization = await this.#write(found, { phase: "Terminating", readiness }, signal);
    if ((await this.#removeProjects(organization, signal)) > 0) return requeueAfter(pollMs);
    if ((await removeNamespace(this.#namespaces, organization, signal)) === "terminating") return requeueAfter(pollMs);
    await removeFinalizer(this.#organizations, organization, signal);
    return reconciled;
  }

  /** The number of projects, read after the organization was known to be terminating. */
  async #removeProjects({ metadata }: Organization, signal: AbortSignal): Promise<number> {
    await this.#views.projects.waitUntilFresh(signal);
    const projects = this.#runtime.client.resource(projectDefinition, parseProject);
    const own = [...this.#views.projects.entries()].filter(([, { organization }]) => organization === metadata.name);
    for (const [{ name }, { uid, isDeleting: isAlreadyDeleting }] of own) {
      if (!isAlreadyDeleting) await projects.delete({ name }, { uid }, signal).catch(ignoreConflict);
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
