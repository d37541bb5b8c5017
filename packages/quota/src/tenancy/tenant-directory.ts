import type { PlaneObjectKey } from "@milo-quota/kubernetes/client/watch/plane-object-key.ts";
import { organizationNamespace } from "../core/resources/object-tenant.ts";
import type { MembershipRecord, Role } from "./tenant-records.ts";
import { inRoot, type TenantViews } from "./tenant-views.ts";

export interface Requester {
  readonly username: string;
  readonly groups: readonly string[];
}

/** Whether a control plane can be used. Unknown: the tenant does not exist. */
export type Availability = "open" | "opening" | "unknown";

/** Answers which tenants exist, which organization a project belongs to, and which role a user has. */
export class TenantDirectory {
  readonly #views: TenantViews;
  /** Roles of memberships in the right namespace, by organization and member. */
  readonly #roles = new Map<string, Map<string, Role>>();
  /** UIDs of projects whose planes this process has opened, until their status says so. */
  readonly #opened = new Map<string, string>();
  /** Resolves when all informers have synced. */
  readonly ready: Promise<void>;

  constructor(views: TenantViews) {
    this.#views = views;
    this.ready = Promise.all(Object.values(views).map(({ synced }) => synced)).then(() => undefined);
    views.memberships.subscribe({
      onAdd: (key, now) => this.#add(key, now),
      onUpdate: (key, before, now) => {
        this.#remove(key, before);
        this.#add(key, now);
      },
      onDelete: (key, before) => this.#remove(key, before),
    });
  }

  organization(name: string): Availability {
    if (!this.#isReady) return "opening";
    return this.organizationUid(name) === undefined ? "unknown" : "open";
  }

  organizationUid(name: string): string | undefined {
    return this.#views.organizations.get(inRoot(name))?.uid;
  }

  project(name: string): Availability {
    if (!this.#isReady) return "opening";
    const project = this.#views.projects.get(inRoot(name));
    // The plane of a terminating project is closed, so nothing may be created in it.
    if (project === undefined || project.isDeleting) return "unknown";
    return project.isReady || this.#opened.get(name) === project.uid ? "open" : "opening";
  }

  /** The organization that a project belongs to; undefined until the project is ready for its members. */
  organizationOf(project: string): string | undefined {
    const found = this.#views.projects.get(inRoot(project));
    if (found === undefined || !found.isReady || found.isDeleting) return undefined;
    const uid = this.organizationUid(found.organization);
    return uid !== undefined && found.owners.includes(uid) ? found.organization : undefined;
  }

  /** Undefined for a user who is no member. */
  roleOf({ username, groups }: Requester, organization: string): Role | undefined {
    if (!this.#hasNamespace(organization)) return undefined;
    const isUser = this.#views.users.get(inRoot(username)) !== undefined;
    const members = [...(isUser ? [{ user: username }] : []), ...groups.map((group) => ({ group }))];
    const roles = members.flatMap((member) => [...(this.#roles.get(memberKey(organization, member))?.values() ?? [])]);
    return roles.find((role) => role === "admin") ?? roles[0];
  }

  /** The plane of the project was opened, but its status does not say so yet. */
  markOpened(project: string, uid: string): void {
    this.#opened.set(project, uid);
  }

  /** The plane was closed, or the status says by now that it is open. */
  clearOpened(project: string): void {
    this.#opened.delete(project);
  }

  /** Guards against memberships that an earlier organization of the same name left behind in its namespace. */
  #hasNamespace(organization: string): boolean {
    const uid = this.organizationUid(organization);
    const namespace = this.#views.namespaces.get(inRoot(organizationNamespace(organization)));
    return uid !== undefined && namespace?.owners.includes(uid) === true;
  }

  get #isReady(): boolean {
    return Object.values(this.#views).every(({ hasSynced }) => hasSynced);
  }

  #add({ namespace, name }: PlaneObjectKey, { organization, member, role, isInOwnNamespace }: MembershipRecord): void {
    if (!isInOwnNamespace) return;
    const key = memberKey(organization, member);
    const roles = this.#roles.get(key) ?? new Map<string, Role>();
    this.#roles.set(key, roles.set(`${namespace}/${name}`, role));
  }

  #remove({ namespace, name }: PlaneObjectKey, { organization, member }: MembershipRecord): void {
    const key = memberKey(organization, member);
    const roles = this.#roles.get(key);
    roles?.delete(`${namespace}/${name}`);
    if (roles?.size === 0) this.#roles.delete(key);
  }
}

/** Unambiguous, because no name can contain a newline. */
function memberKey(organization: string, member: MembershipRecord["member"]): string {
  return "user" in member ? `${organization}\nuser\n${member.user}` : `${organization}\ngroup\n${member.group}`;
}
