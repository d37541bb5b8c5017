import type { Change, ObjectStore } from "../../storage/object-store.ts";
import { storedResource } from "../object-request.ts";
import type { ApiObject } from "./api-object.ts";
import type { ServedKind } from "./served-kind.ts";

const definitions = "customresourcedefinitions.apiextensions.k8s.io";

/** The kinds of an established definition; `revision` is the one that wrote it. */
export type KindsOfDefinition = (definition: ApiObject, revision: number) => readonly ServedKind[];

/** The plane whose definitions another plane inherits, if any. */
export type DefinitionsFrom = (plane: string) => string | undefined;

/**
 * The kinds that each plane serves: built-in ones, those of its own definitions, and those it inherits from another
 * plane.
 */
export class KindCatalog {
  readonly builtin: readonly ServedKind[];
  readonly #kindsOf: KindsOfDefinition;
  readonly #custom = new Map<string, Map<string, readonly ServedKind[]>>();
  readonly #planes = new Map<string, PlaneKinds>();
  /** Planes with their own and inherited definitions. */
  readonly #merged = new Map<string, Merged>();
  /** Served kinds by resource, over all planes. */
  readonly #servers = new Map<string, Map<string, ServedKind>>();
  readonly #none: PlaneKinds;
  readonly #definitionsFrom: DefinitionsFrom;
  readonly stop: () => void;

  constructor(
    store: ObjectStore,
    builtin: readonly ServedKind[],
    kindsOf: KindsOfDefinition,
    definitionsFrom: DefinitionsFrom = () => undefined,
  ) {
    this.builtin = builtin;
    this.#definitionsFrom = definitionsFrom;
    this.#kindsOf = kindsOf;
    this.#none = new PlaneKinds(builtin);
    const from = store.revision;
    for (const { key, object, revision } of store.list({ resource: definitions })) {
      this.#remember(key.plane, key.name, kindsOf(object, revision));
    }
    for (const plane of this.#custom.keys()) this.#serve(plane);
    this.stop = store.watch({ resource: definitions }, from, (change) => this.#onChange(change));
  }

  inPlane(plane: string): PlaneKinds {
    const followed = this.#definitionsFrom(plane);
    const own = this.#planes.get(plane);
    if (followed === undefined || followed === plane) return own ?? this.#none;
    const theirs = this.#planes.get(followed) ?? this.#none;
    return own === undefined ? theirs : this.#merge(plane, own, theirs, followed);
  }

  /** The kinds of this plane, or of any other plane for those it does not serve. */
  inAnyPlane(plane: string): Pick<PlaneKinds, "find"> {
    return {
      find: (group, version, plural) => {
        const here = this.inPlane(plane).find(group, version, plural);
        if (here !== undefined) return here;
        const [elsewhere] = this.#servers.get(pathOf(group, version, plural))?.values() ?? [];
        return elsewhere;
      },
    };
  }

  /** A plane's own definitions take precedence over inherited ones of the same name. */
  #merge(plane: string, own: PlaneKinds, theirs: PlaneKinds, followed: string): PlaneKinds {
    const cached = this.#merged.get(plane);
    if (cached?.own === own && cached.theirs === theirs) return cached.kinds;
    const ownDefinitions = this.#custom.get(plane) ?? new Map<string, readonly ServedKind[]>();
    const others = [...(this.#custom.get(followed) ?? [])].filter(([name]) => !ownDefinitions.has(name));
    const kinds = new PlaneKinds([...own.all, ...others.flatMap(([, made]) => made)]);
    this.#merged.set(plane, { own, theirs, kinds });
    return kinds;
  }

  #onChange({ type, stored: { key, object, revision } }: Change): void {
    this.#define(key.plane, key.name, type === "deleted" ? [] : this.#kindsOf(object, revision));
  }

  #define(plane: string, name: string, kinds: readonly ServedKind[]): void {
    this.#remember(plane, name, kinds);
    this.#serve(plane);
  }

  #remember(plane: string, name: string, kinds: readonly ServedKind[]): void {
    for (const kind of this.#custom.get(plane)?.get(name) ?? []) this.#unserve(plane, kind);
    for (const kind of kinds) {
      const path = pathOf(kind.group, kind.version, kind.plural);
      this.#servers.set(path, (this.#servers.get(path) ?? new Map<string, ServedKind>()).set(plane, kind));
    }
    const definitionsOfPlane = this.#custom.get(plane) ?? new Map<string, readonly ServedKind[]>();
    if (kinds.length === 0) definitionsOfPlane.delete(name);
    else definitionsOfPlane.set(name, kinds);
    if (definitionsOfPlane.size === 0) this.#custom.delete(plane);
    else this.#custom.set(plane, definitionsOfPlane);
  }

  #unserve(plane: string, { group, version, plural }: ServedKind): void {
    const path = pathOf(group, version, plural);
    const servers = this.#servers.get(path);
    servers?.delete(plane);
    if (servers?.size === 0) this.#servers.delete(path);
  }

  #serve(plane: string): void {
    const custom = this.#custom.get(plane);
    this.#merged.delete(plane);
    if (custom === undefined) this.#planes.delete(plane);
    else this.#planes.set(plane, new PlaneKinds([...this.builtin, ...[...custom.values()].flat()]));
  }
}

interface Merged {
  readonly own: PlaneKinds;
  readonly theirs: PlaneKinds;
  readonly kinds: PlaneKinds;
}

/** A snapshot of the kinds of one plane. */
export class PlaneKinds {
  readonly all: readonly ServedKind[];
  readonly #byPath = new Map<string, ServedKind>();
  readonly #byStorage = new Map<string, ServedKind>();

  constructor(all: readonly ServedKind[]) {
    this.all = all;
    for (const kind of all) {
      this.#byPath.set(pathOf(kind.group, kind.version, kind.plural), kind);
      if (kind.storedAs === undefined && kind.version === kind.storageVersion) {
        this.#byStorage.set(storedResource(kind), kind);
      }
    }
  }

  find(group: string, version: string, plural: string): ServedKind | undefined {
    return this.#byPath.get(pathOf(group, version, plural));
  }

  /** Any version of a kind, for owner references: garbage collection does not depend on the version. */
  ofKind(group: string, kind: string): ServedKind | undefined {
    return this.all.find((served) => served.group === group && served.kind === kind);
  }

  /** The kind of a stored resource, in its storage version. */
  stored(resource: string): ServedKind | undefined {
    return this.#byStorage.get(resource);
  }

  /** Every stored resource once. */
  get resources(): readonly ServedKind[] {
    return [...this.#byStorage.values()];
  }

  /** All versions in which the same objects are served. */
  versionsOf({ group, plural }: ServedKind): readonly ServedKind[] {
    return this.all.filter((kind) => kind.group === group && kind.plural === plural);
  }
}

function pathOf(group: string, version: string, plural: string): string {
  return `${group}/${version}/${plural}`;
}
