import { type ReconcileResult, reconciled, WorkQueue } from "@milo-quota/kubernetes/client/queue/work-queue.ts";
import type { ResourceClient } from "@milo-quota/kubernetes/client/resources/resource-client.ts";
import type { PlaneObjectKey } from "@milo-quota/kubernetes/client/watch/plane-object-key.ts";
import { projectPath, projectPlane } from "../../views/tenant-planes.ts";
import { type Project, parseProject, projectDefinition } from "../resources/project.ts";
import type { TenancyRuntime } from "../tenancy-runtime.ts";
import type { TenantDirectory } from "../tenant-directory.ts";
import {
  hasTenancyFinalizer,
  isDeleting,
  type OrganizationRecord,
  type ProjectRecord,
  projectRecord,
} from "../tenant-records.ts";
import { inRoot, type TenantViews } from "../tenant-views.ts";
import { openProjectPlane } from "./project-plane.ts";
import { addFinalizer, ownedBy, type Readiness, removeFinalizer, writeReadiness } from "./tenant-writes.ts";

/** Opens the control plane of each project, and closes it with everything in it when the project is deleted. */
export class ProjectController {
  readonly #runtime: TenancyRuntime;
  readonly #views: TenantViews;
  readonly #directory: TenantDirectory;
  readonly #queue: WorkQueue<string>;
  readonly #projects: ResourceClient<Project>;
  readonly #subscriptions: readonly (() => void)[];
  /** Projects whose organization does not exist yet, by the name of the organization. */
  readonly #waiting = new Map<string, Set<string>>();
  /** UIDs of projects whose plane was closed before they were deleted. */
  readonly #closed = new Set<string>();
  /** Projects that were deleted although they had a plane, because our finalizer was removed. */
  readonly #orphaned = new Set<string>();

  constructor(runtime: TenancyRuntime, views: TenantViews, directory: TenantDirectory) {
    this.#runtime = runtime;
    this.#views = views;
    this.#directory = directory;
    const { client, clock, random, report } = runtime;
    this.#projects = client.resource(projectDefinition, parseProject);
    this.#queue = new WorkQueue({
      reconcile: (name, signal) => this.#reconcile(name, signal),
      idOf: (name) => name,
      observer: runtime.queueObservers?.("projects"),
      clock,
      random,
      report: (error, name) => report(`Project "${name}"`, error),
    });
    const own = ({ name }: PlaneObjectKey): void => this.#queue.add(name);
    this.#subscriptions = [
      views.projects.subscribe({ onAdd: own, onUpdate: own, onDelete: (key, before) => this.#onDeleted(key, before) }),
      views.organizations.subscribe({ onAdd: ({ name }) => this.#onOrganizationAdded(name) }),
    ];
  }

  async stop(): Promise<void> {
    for (const end of this.#subscriptions) end();
    await this.#queue.stop();
  }

  #onOrganizationAdded(organization: string): void {
    for (const project of this.#waiting.get(organization) ?? []) this.#queue.add(project);
    this.#waiting.delete(organization);
  }

  #onDeleted({ name }: PlaneObjectKey, { uid, organization, isReady }: ProjectRecord): void {
    this.#waiting.get(organization)?.delete(name);
    if (!this.#closed.delete(uid) && isReady) this.#orphaned.add(name);
    this.#queue.add(name);
  }

  async #reconcile(name: string, signal: AbortSignal): Promise<ReconcileResult> {
    if (this.#isUpToDate(name)) {
      this.#directory.clearOpened(name);
      return reconciled;
    }
    const project = await this.#projects.find({ name }, signal);
    if (project === undefined) return this.#cleanUp(name);
    if (isDeleting(project.metadata)) return this.#close(project, signal);
    return this.#ensure(project, signal);
  }

  #isUpToDate(name: string): boolean {
    const project = this.#views.projects.get(inRoot(name));
    if (project === undefined || !project.isSettled || this.#orphaned.has(name)) return false;
    const organization = this.#organization(project.organization);
    return organization !== undefined && project.owners.includes(organization.uid);
  }

  #organization(name: string): OrganizationRecord | undefined {
    return this.#views.organizations.get(inRoot(name));
  }

  /** Closes a plane that a deleted project left behind. */
  async #cleanUp(name: string): Promise<ReconcileResult> {
    this.#directory.clearOpened(name);
    if (!this.#orphaned.has(name)) return reconciled;
    await this.#runtime.planes.close(projectPlane(name));
    this.#orphaned.delete(name);
    return reconciled;
  }

  async #ensure(found: Project, signal: AbortSignal): Promise<ReconcileResult> {
    const { isReady, owners } = projectRecord(found);
    const { name: organization } = found.spec.ownerRef;
    const owner = this.#organization(organization);
    if (owner === undefined || owner.isDeleting) {
      this.#waitFor(organization, found);
      return isReady ? reconciled : this.#write(found, withoutOrganization(organization, owner), signal);
    }
    // An earlier organization of the same name owns the project, and the garbage collector deletes it with that one.
    if (owners.length > 0 && !owners.includes(owner.uid)) return reconciled;
    const reference = owners.length === 0 ? ownedBy({ name: organization, uid: owner.uid }) : undefined;
    const isPrepared = hasTenancyFinalizer(found.metadata) && reference === undefined;
    // The finalizer comes first, so that nothing is left behind when the project is deleted.
    const project = isPrepared ? found : await addFinalizer(this.#projects, found, reference, signal);
    if (!isReady) await openProjectPlane(this.#runtime, this.#directory, project, signal);
    const { name = "" } = project.metadata;
    this.#orphaned.delete(name);
    const message = `the control plane is at ${projectPath(name)}`;
    return this.#write(project, { status: "True", reason: "ProjectReady", message }, signal);
  }

  #waitFor(organization: string, { metadata: { name = "" } }: Project): void {
    this.#waiting.set(organization, (this.#waiting.get(organization) ?? new Set<string>()).add(name));
  }

  async #write(project: Project, readiness: Readiness, signal: AbortSignal): Promise<ReconcileResult> {
    const { clock } = this.#runtime;
    await writeReadiness({ client: this.#projects, clock }, project, { readiness }, signal);
    return reconciled;
  }

  async #close(project: Project, signal: AbortSignal): Promise<ReconcileResult> {
    const { name = "", uid = "" } = project.metadata;
    this.#directory.clearOpened(name);
    if (!hasTenancyFinalizer(project.metadata)) return reconciled;
    await this.#runtime.planes.close(projectPlane(name));
    this.#closed.add(uid);
    await removeFinalizer(this.#projects, project, signal);
    return reconciled;
  }
}

function withoutOrganization(name: string, found: OrganizationRecord | undefined): Readiness {
  if (found !== undefined) {
    return { status: "False", reason: "OrganizationTerminating", message: `Organization "${name}" is being deleted` };
  }
  return { status: "False", reason: "OrganizationNotFound", message: `Organization "${name}" not found` };
}
