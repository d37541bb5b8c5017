import { type Outcome, settled, WorkQueue } from "@milo-quota/kubernetes/client/queue/work-queue.ts";
import type { ResourceClient } from "@milo-quota/kubernetes/client/resources/resource-client.ts";
import type { ObjectPlace } from "@milo-quota/kubernetes/client/watch/object-place.ts";
import { projectPath, projectPlane } from "../../views/tenant-planes.ts";
import { type Project, parseProject, projectDefinition } from "../resources/project.ts";
import type { TenancyRuntime } from "../tenancy-runtime.ts";
import type { TenantDirectory } from "../tenant-directory.ts";
import { isDeleting, isKept, type OrganizationRecord, type ProjectRecord, projectRecord } from "../tenant-records.ts";
import { atRoot, type TenantViews } from "../tenant-views.ts";
import { openProjectPlane } from "./project-plane.ts";
import { hold, ownedBy, type Readiness, release, writeReadiness } from "./tenant-writes.ts";

/** Gives every project its control plane, and removes that with everything in it when the project goes. */
export class ProjectController {
  readonly #runtime: TenancyRuntime;
  readonly #views: TenantViews;
  readonly #directory: TenantDirectory;
  readonly #queue: WorkQueue<string>;
  readonly #projects: ResourceClient<Project>;
  readonly #subscriptions: readonly (() => void)[];
  /** Projects whose organization is not there yet, by its name. */
  readonly #waiting = new Map<string, Set<string>>();
  /** UIDs of projects whose plane was closed before they went. */
  readonly #closed = new Set<string>();
  /** Projects that went while they had a plane: somebody took our finalizer away. */
  readonly #orphaned = new Set<string>();

  constructor(runtime: TenancyRuntime, views: TenantViews, directory: TenantDirectory) {
    this.#runtime = runtime;
    this.#views = views;
    this.#directory = directory;
    const { client, clock, random, report } = runtime;
    this.#projects = client.resource(projectDefinition, parseProject);
    this.#queue = new WorkQueue({
      work: (name, signal) => this.#reconcile(name, signal),
      idOf: (name) => name,
      told: runtime.toldQueues?.("projects"),
      clock,
      random,
      report: (error, name) => report(`Project "${name}"`, error),
    });
    const own = ({ name }: ObjectPlace): void => this.#queue.add(name);
    this.#subscriptions = [
      views.projects.subscribe({ added: own, changed: own, removed: (place, before) => this.#removed(place, before) }),
      views.organizations.subscribe({ added: ({ name }) => this.#organizationCame(name) }),
    ];
  }

  async stop(): Promise<void> {
    for (const end of this.#subscriptions) end();
    await this.#queue.stop();
  }

  #organizationCame(organization: string): void {
    for (const project of this.#waiting.get(organization) ?? []) this.#queue.add(project);
    this.#waiting.delete(organization);
  }

  #removed({ name }: ObjectPlace, { uid, organization, isReady }: ProjectRecord): void {
    this.#waiting.get(organization)?.delete(name);
    if (!this.#closed.delete(uid) && isReady) this.#orphaned.add(name);
    this.#queue.add(name);
  }

  async #reconcile(name: string, signal: AbortSignal): Promise<Outcome> {
    if (this.#isInOrder(name)) {
      this.#directory.forget(name);
      return settled;
    }
    const project = await this.#projects.find({ name }, signal);
    if (project === undefined) return this.#clear(name);
    if (isDeleting(project.metadata)) return this.#close(project, signal);
    return this.#provide(project, signal);
  }

  #isInOrder(name: string): boolean {
    const project = this.#views.projects.get(atRoot(name));
    if (project === undefined || !project.isSettled || this.#orphaned.has(name)) return false;
    const organization = this.#organization(project.organization);
    return organization !== undefined && project.owners.includes(organization.uid);
  }

  #organization(name: string): OrganizationRecord | undefined {
    return this.#views.organizations.get(atRoot(name));
  }

  /** Whatever a project of this name left behind goes. */
  async #clear(name: string): Promise<Outcome> {
    this.#directory.forget(name);
    if (!this.#orphaned.has(name)) return settled;
    await this.#runtime.planes.close(projectPlane(name));
    this.#orphaned.delete(name);
    return settled;
  }

  async #provide(found: Project, signal: AbortSignal): Promise<Outcome> {
    const { isReady, owners } = projectRecord(found);
    const { name: organization } = found.spec.ownerRef;
    const owner = this.#organization(organization);
    if (owner === undefined || owner.isDeleting) {
      this.#waitFor(organization, found);
      return isReady ? settled : this.#write(found, withoutOrganization(organization, owner), signal);
    }
    // It was made for another organization that had the name, and goes with that one.
    if (owners.length > 0 && !owners.includes(owner.uid)) return settled;
    const reference = owners.length === 0 ? ownedBy({ name: organization, uid: owner.uid }) : undefined;
    const isHeld = isKept(found.metadata) && reference === undefined;
    // Held before anything is made for it, so that nothing is left behind.
    const project = isHeld ? found : await hold(this.#projects, found, reference, signal);
    if (!isReady) await openProjectPlane(this.#runtime, this.#directory, project, signal);
    const { name = "" } = project.metadata;
    this.#orphaned.delete(name);
    const message = `its control plane is at ${projectPath(name)}`;
    return this.#write(project, { status: "True", reason: "ProjectReady", message }, signal);
  }

  /** It is looked at again when an organization of that name comes. */
  #waitFor(organization: string, { metadata: { name = "" } }: Project): void {
    this.#waiting.set(organization, (this.#waiting.get(organization) ?? new Set<string>()).add(name));
  }

  async #write(project: Project, readiness: Readiness, signal: AbortSignal): Promise<Outcome> {
    const { clock } = this.#runtime;
    await writeReadiness({ client: this.#projects, clock }, project, { readiness }, signal);
    return settled;
  }

  async #close(project: Project, signal: AbortSignal): Promise<Outcome> {
    const { name = "", uid = "" } = project.metadata;
    this.#directory.forget(name);
    if (!isKept(project.metadata)) return settled;
    await this.#runtime.planes.close(projectPlane(name));
    this.#closed.add(uid);
    await release(this.#projects, project, signal);
    return settled;
  }
}

function withoutOrganization(name: string, found: OrganizationRecord | undefined): Readiness {
  if (found !== undefined) {
    return { status: "False", reason: "OrganizationTerminating", message: `Organization "${name}" is being deleted` };
  }
  return { status: "False", reason: "OrganizationNotFound", message: `there is no Organization "${name}"` };
}
