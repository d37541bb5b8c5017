import type { ObjectPlace } from "@milo-quota/kubernetes/client/watch/object-place.ts";
import { organizationNamespace } from "../core/resources/object-tenant.ts";
import type { MembershipRecord, Role } from "./tenant-records.ts";
import { atRoot, type TenantViews } from "./tenant-views.ts";

/** Somebody who sends requests. */
export interface Requester {
  readonly username: string;
  readonly groups: readonly string[];
}

/** Whether a control plane can be used: it can, not yet, or never, for there is no such tenant. */
export type Availability = "open" | "opening" | "unknown";

/** Who the tenants are, whose the projects, and who may do what: what requests are judged by. */
export class TenantDirectory {
  readonly #views: TenantViews;
  /** What memberships give that are where they belong, by organization and member. */
  readonly #roles = new Map<string, Map<string, Role>>();
  /** Projects whose planes were made by this process and may not say so yet, by UID. */
  readonly #opened = new Map<string, string>();
  /** Resolves when everything is known. */
  readonly ready: Promise<void>;

  constructor(views: TenantViews) {
    this.#views = views;
    this.ready = Promise.all(Object.values(views).map(({ ready }) => ready)).then(() => undefined);
    views.memberships.subscribe({
      added: (place, now) => this.#add(place, now),
      changed: (place, before, now) => {
        this.#drop(place, before);
        this.#add(place, now);
      },
      removed: (place, before) => this.#drop(place, before),
    });
  }

  organization(name: string): Availability {
    if (!this.#isReady) return "opening";
    return this.organizationUid(name) === undefined ? "unknown" : "open";
  }

  organizationUid(name: string): string | undefined {
    return this.#views.organizations.get(atRoot(name))?.uid;
  }

  project(name: string): Availability {
    if (!this.#isReady) return "opening";
    const project = this.#views.projects.get(atRoot(name));
    // Of a project that goes everything is about to go: nothing new may come into it.
    if (project === undefined || project.isDeleting) return "unknown";
    return project.isReady || this.#opened.get(name) === project.uid ? "open" : "opening";
  }

  /** The organization that a project belongs to; undefined until the project is ready for its members. */
  organizationOf(project: string): string | undefined {
    const found = this.#views.projects.get(atRoot(project));
    if (found === undefined || !found.isReady || found.isDeleting) return undefined;
    const uid = this.organizationUid(found.organization);
    return uid !== undefined && found.owners.includes(uid) ? found.organization : undefined;
  }

  /** What somebody is in an organization; undefined for whoever is no member. */
  roleOf({ username, groups }: Requester, organization: string): Role | undefined {
    if (!this.#hasNamespace(organization)) return undefined;
    const isUser = this.#views.users.get(atRoot(username)) !== undefined;
    const members = [...(isUser ? [{ user: username }] : []), ...groups.map((group) => ({ group }))];
    const roles = members.flatMap((member) => [...(this.#roles.get(memberKey(organization, member))?.values() ?? [])]);
    return roles.find((role) => role === "admin") ?? roles[0];
  }

  /** The plane of this very project can be used, though the project does not say so yet. */
  opened(project: string, uid: string): void {
    this.#opened.set(project, uid);
  }

  /** There is no plane of this project any more, or the project says itself that there is one. */
  forget(project: string): void {
    this.#opened.delete(project);
  }

  /** Memberships that another organization of the same name left behind are in a namespace that is not this one's. */
  #hasNamespace(organization: string): boolean {
    const uid = this.organizationUid(organization);
    const namespace = this.#views.namespaces.get(atRoot(organizationNamespace(organization)));
    return uid !== undefined && namespace?.owners.includes(uid) === true;
  }

  get #isReady(): boolean {
    return Object.values(this.#views).every(({ isReady }) => isReady);
  }

  #add({ namespace, name }: ObjectPlace, { organization, member, role, isInPlace }: MembershipRecord): void {
    if (!isInPlace) return;
    const key = memberKey(organization, member);
    const roles = this.#roles.get(key) ?? new Map<string, Role>();
    this.#roles.set(key, roles.set(`${namespace}/${name}`, role));
  }

  #drop({ namespace, name }: ObjectPlace, { organization, member }: MembershipRecord): void {
    const key = memberKey(organization, member);
    const roles = this.#roles.get(key);
    roles?.delete(`${namespace}/${name}`);
    if (roles?.size === 0) this.#roles.delete(key);
  }
}

/** No name holds the character between them. */
function memberKey(organization: string, member: MembershipRecord["member"]): string {
  return "user" in member ? `${organization}\nuser\n${member.user}` : `${organization}\ngroup\n${member.group}`;
}
