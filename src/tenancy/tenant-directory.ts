import { rootPlane } from "../kube/client/kube-client.ts";
import type { ObjectPlace } from "../kube/watch/informer.ts";
import type { MembershipRecord, Role } from "./tenant-records.ts";
import type { TenantViews } from "./tenant-views.ts";

/** Somebody who sends requests. */
export interface Requester {
  readonly username: string;
  readonly groups: readonly string[];
}

/** Whether a control plane can be used: it can, not yet, or never, for there is no such tenant. */
export type Availability = "open" | "opening" | "unknown";

const inRoot = (name: string): ObjectPlace => ({ plane: rootPlane.plane, namespace: "", name });

/** Who the tenants are, whose the projects, and who may do what: what requests are judged by. */
export class TenantDirectory {
  readonly #views: TenantViews;
  /** Memberships that are where they belong, by organization. */
  readonly #members = new Map<string, Map<string, MembershipRecord>>();
  /** Projects whose planes were made by this process and may not say so yet, by UID. */
  readonly #opened = new Map<string, string>();

  constructor(views: TenantViews) {
    this.#views = views;
    views.memberships.subscribe({
      added: (place, now) => this.#add(place, now),
      changed: (place, before, now) => {
        this.#drop(place, before);
        this.#add(place, now);
      },
      removed: (place, before) => this.#drop(place, before),
    });
  }

  get isReady(): boolean {
    return Object.values(this.#views).every(({ isReady }) => isReady);
  }

  organization(name: string): Availability {
    if (!this.isReady) return "opening";
    return this.#views.organizations.get(inRoot(name)) === undefined ? "unknown" : "open";
  }

  project(name: string): Availability {
    if (!this.isReady) return "opening";
    const project = this.#views.projects.get(inRoot(name));
    // Of a project that goes everything is about to go: nothing new may come into it.
    if (project === undefined || project.isDeleting) return "unknown";
    return project.isReady || this.#opened.get(name) === project.uid ? "open" : "opening";
  }

  /** The organization that a project belongs to; undefined until the project is ready for its members. */
  organizationOf(project: string): string | undefined {
    const found = this.#views.projects.get(inRoot(project));
    return found?.isReady === true && !found.isDeleting ? found.organization : undefined;
  }

  /** What somebody is in an organization; undefined for whoever is no member. */
  roleOf(requester: Requester, organization: string): Role | undefined {
    if (this.#views.organizations.get(inRoot(organization)) === undefined) return undefined;
    const held = [...(this.#members.get(organization)?.values() ?? [])].filter(({ member }) =>
      this.#is(requester, member),
    );
    if (held.length === 0) return undefined;
    return held.some(({ role }) => role === "admin") ? "admin" : "view";
  }

  isUser(name: string): boolean {
    return this.#views.users.get(inRoot(name)) !== undefined;
  }

  /** The plane of this very project can be used, though the project does not say so yet. */
  opened(project: string, uid: string): void {
    this.#opened.set(project, uid);
  }

  /** There is no plane of this project any more, or the project says itself that there is one. */
  forget(project: string): void {
    this.#opened.delete(project);
  }

  #is({ username, groups }: Requester, member: MembershipRecord["member"]): boolean {
    return "user" in member ? member.user === username && this.isUser(username) : groups.includes(member.group);
  }

  #add({ namespace, name }: ObjectPlace, membership: MembershipRecord): void {
    if (!membership.isInPlace) return;
    const members = this.#members.get(membership.organization) ?? new Map<string, MembershipRecord>();
    this.#members.set(membership.organization, members.set(`${namespace}/${name}`, membership));
  }

  #drop({ namespace, name }: ObjectPlace, { organization }: MembershipRecord): void {
    const members = this.#members.get(organization);
    members?.delete(`${namespace}/${name}`);
    if (members?.size === 0) this.#members.delete(organization);
  }
}
