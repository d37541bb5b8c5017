/** A kind with the parts of its URL. */
export interface ResourceType {
  readonly group: string;
  readonly version: string;
  /** The lower-case plural, such as `resourceclaims`. */
  readonly plural: string;
  readonly scope: "Namespaced" | "Cluster";
}

/** A control plane as a client reaches it. */
export interface PlaneAddress {
  readonly plane: string;
  /** Path prefix of the plane; empty for the root plane. */
  readonly prefix: string;
}

/** The cause of a 404 for a missing control plane, as opposed to a missing object. */
export const planeNotFound = "ControlPlaneNotFound";

export interface ObjectRef {
  /** Left out for cluster-scoped objects. */
  readonly namespace?: string;
  readonly name: string;
}

/** All objects of a kind, or those of one namespace. */
export function collectionPath(type: ResourceType, { prefix }: PlaneAddress, namespace?: string): string {
  const root = type.group === "" ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const within = namespace === undefined ? "" : `/namespaces/${segment(namespace, "a namespace")}`;
  if (within !== "" && type.scope === "Cluster") throw new TypeError(`${type.plural} are cluster-scoped`);
  return `${prefix}${root}${within}/${type.plural}`;
}

export function objectPath(type: ResourceType, plane: PlaneAddress, { namespace, name }: ObjectRef): string {
  if (type.scope === "Namespaced" && namespace === undefined) throw new TypeError(`${type.plural} are namespaced`);
  return `${collectionPath(type, plane, namespace)}/${segment(name, "a name")}`;
}

/** An empty name would turn the path into that of the collection. */
function segment(text: string, what: string): string {
  if (text === "" || text === "." || text === "..") throw new TypeError(`"${text}" is no ${what.replace(/^an? /, "")}`);
  return encodeURIComponent(text);
}
