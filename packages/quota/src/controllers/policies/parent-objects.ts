import type { PlaneObjectKey } from "@milo-quota/kubernetes/client/watch/plane-object-key.ts";
import { type GrantOrigin, originId } from "../../core/policy/grant-origin.ts";
import type { RenderedGrant } from "../../core/policy/grant-policy.ts";
import { type GroupKind, groupKindText } from "../../core/resources/fields/consumer-ref.ts";
import type { GrantPolicyCache } from "../../views/grant-policy-cache.ts";
import type { Running } from "../../views/runtime.ts";
import type { KindInformerOptions } from "../kind-informer.ts";
import { KindInformers } from "../kind-informers.ts";
import type { ObjectReader } from "../ownership/objects/object-reader.ts";

type Parent = NonNullable<RenderedGrant["parent"]>;

export interface ParentObjectsOptions extends Pick<KindInformerOptions<true>, "runtime" | "restMapper"> {
  readonly policies: GrantPolicyCache;
  readonly reader: ObjectReader;
  /** The parent of this origin was created or deleted, or can be determined now. */
  readonly onChange: (origin: GrantOrigin) => void;
}

/**
 * Knows whether the objects exist that parent contexts name, for kinds whose objects share the root, such as Organization.
 * An object with a control plane of its own needs no such check: without it, there is nowhere to write the grant.
 */
export class ParentObjects implements Running {
  readonly #options: ParentObjectsOptions;
  readonly #informers: KindInformers<true>;
  /** The origins that asked for a parent. */
  readonly #users = new Map<string, Map<string, GrantOrigin>>();
  readonly #parents = new Map<string, string>();

  constructor(options: ParentObjectsOptions) {
    this.#options = options;
    const { runtime, restMapper } = options;
    this.#informers = new KindInformers({
      runtime,
      restMapper,
      owner: "parents of grants",
      keep: () => true,
      handler: {
        onAdd: (kind, key) => this.#onChange({ ...kind, name: key.name }),
        onDelete: (kind, key) => this.#onChange({ ...kind, name: key.name }),
        onSynced: (kind) => this.#onSynced(kind),
      },
    });
  }

  /** Watches the kinds that policies name. */
  policiesChanged(): void {
    const { policies } = this.#options;
    const named = [...policies.entries()].flatMap(({ policy }) => policy.parentContext ?? []);
    this.#informers.setKinds(named.filter((kind) => this.#sharesRoot({ ...kind, name: "any" })));
  }

  /**
   * Asks the API server before it reports that a parent is missing. Calls `onChange` for the origin when the parent comes or
   * goes. Undefined while the parents are being loaded.
   */
  async exists(parent: Parent, origin: GrantOrigin, signal: AbortSignal): Promise<boolean | undefined> {
    if (!this.#sharesRoot(parent)) return true;
    this.#remember(parent, origin);
    if (this.#informers.phase(parent) === "starting") return undefined;
    const key: PlaneObjectKey = { plane: this.#options.runtime.planes.root, namespace: "", name: parent.name };
    if (this.#informers.get(parent, key) !== undefined) return true;
    const kind: GroupKind = { apiGroup: parent.apiGroup, kind: parent.kind };
    return (await this.#options.reader.read({ kind, key }, signal)) !== undefined;
  }

  forget(origin: GrantOrigin): void {
    const id = originId(origin);
    const parent = this.#parents.get(id);
    if (parent === undefined) return;
    this.#parents.delete(id);
    const users = this.#users.get(parent);
    users?.delete(id);
    if (users?.size === 0) this.#users.delete(parent);
  }

  stop(): Promise<void> {
    return this.#informers.stop();
  }

  #sharesRoot(parent: Parent): boolean {
    const { planes } = this.#options.runtime;
    return planes.planeOf(parent) === planes.root;
  }

  #remember(parent: Parent, origin: GrantOrigin): void {
    const [id, parentId] = [originId(origin), idOf(parent)];
    if (this.#parents.get(id) !== parentId) this.forget(origin);
    this.#parents.set(id, parentId);
    const users = this.#users.get(parentId) ?? new Map<string, GrantOrigin>();
    this.#users.set(parentId, users.set(id, origin));
  }

  #onSynced(kind: GroupKind): void {
    for (const [parentId, users] of this.#users) {
      if (belongsTo(kind, parentId)) for (const origin of users.values()) this.#options.onChange(origin);
    }
  }

  #onChange(parent: Parent): void {
    for (const origin of this.#users.get(idOf(parent))?.values() ?? []) this.#options.onChange(origin);
  }
}

function belongsTo({ apiGroup, kind }: GroupKind, parentId: string): boolean {
  return parentId.startsWith(`${groupKindText({ apiGroup, kind })} `);
}

function idOf(parent: Parent): string {
  return `${groupKindText(parent)} ${parent.name}`;
}
