import type { ResourceClient } from "../../kube/client/resource-client.ts";
import { type Outcome, settled, WorkQueue } from "../../kube/queue/work-queue.ts";
import type { ObjectPlace } from "../../kube/watch/informer.ts";
import { projectPath, projectPlane } from "../plane-layout.ts";
import { type Project, parseProject, projectDefinition } from "../resources/project.ts";
import type { TenancyRuntime } from "../tenancy-runtime.ts";
import type { TenantDirectory } from "../tenant-directory.ts";
import { isDeleting, isKept, type ProjectRecord, projectRecord } from "../tenant-records.ts";
import { atRoot, type TenantViews } from "../tenant-views.ts";
import { openProjectPlane } from "./project-plane.ts";
import { type Readiness, writeFinalizer, writeStatus } from "./tenant-writes.ts";

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

  #removed({ name }: ObjectPlace, { uid, organization }: ProjectRecord): void {
    this.#waiting.get(organization)?.delete(name);
    if (!this.#closed.delete(uid)) this.#orphaned.add(name);
    this.#queue.add(name);
  }

  async #reconcile(name: string, signal: AbortSignal): Promise<Outcome> {
    const record = this.#views.projects.get(atRoot(this.#runtime.client, name));
    if (record?.isSettled === true && !this.#orphaned.has(name)) {
      this.#directory.forget(name);
      return settled;
    }
    const project = await this.#projects.find({ name }, signal);
    if (project === undefined) return this.#clear(name);
    if (isDeleting(project.metadata)) return this.#close(project, signal);
    return this.#provide(project, signal);
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
    // Held before anything is made for it, so that nothing is left behind.
    const project = isKept(found.metadata) ? found : await writeFinalizer(this.#projects, found, "kept", signal);
    const { name = "" } = project.metadata;
    const obstacle = projectRecord(project).isReady ? undefined : this.#obstacleTo(project);
    if (obstacle === undefined) {
      if (!projectRecord(project).isReady) await openProjectPlane(this.#runtime, this.#directory, project, signal);
      this.#orphaned.delete(name);
    }
    const message = `its control plane is at ${projectPath(name)}`;
    const readiness: Readiness = obstacle ?? { status: "True", reason: "ProjectReady", message };
    const { clock } = this.#runtime;
    await writeStatus({ client: this.#projects, clock }, project, { readiness }, signal);
    return settled;
  }

  /** Why a project cannot have a control plane; it is looked at again when an organization of that name comes. */
  #obstacleTo({ metadata: { name = "" }, spec }: Project): Readiness | undefined {
    const { name: organization } = spec.ownerRef;
    const found = this.#views.organizations.get(atRoot(this.#runtime.client, organization));
    if (found !== undefined && !found.isDeleting) return undefined;
    this.#waiting.set(organization, (this.#waiting.get(organization) ?? new Set<string>()).add(name));
    if (found === undefined) {
      const message = `there is no Organization "${organization}"`;
      return { status: "False", reason: "OrganizationNotFound", message };
    }
    const message = `Organization "${organization}" is being deleted`;
    return { status: "False", reason: "OrganizationTerminating", message };
  }

  async #close(project: Project, signal: AbortSignal): Promise<Outcome> {
    const { name = "", uid = "" } = project.metadata;
    this.#directory.forget(name);
    if (!isKept(project.metadata)) return settled;
    await this.#runtime.planes.close(projectPlane(name));
    this.#closed.add(uid);
    await writeFinalizer(this.#projects, project, "released", signal);
    return settled;
  }
}
