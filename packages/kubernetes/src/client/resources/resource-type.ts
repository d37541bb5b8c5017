/** A kind of objects as its URL names it. */
export interface ResourceType {
  readonly group: string;
  readonly version: string;
  /** The name in the plural and in lower case, such as `resourceclaims`. */
  readonly plural: string;
  readonly scope: "Namespaced" | "Cluster";
}

/** A control plane as a client reaches it. */
export interface PlaneAddress {
  readonly plane: string;
  /** What comes before every path in it; nothing for the plane at the root of the server. */
  readonly prefix: string;
}

/** The cause that a server gives when it is not the object that is not there, but the control plane it would be in. */
export const planeNotFound = "ControlPlaneNotFound";

/** One object of a kind. */
export interface ObjectRef {
  /** Left out for objects that are in none. */
  readonly namespace?: string;
  readonly name: string;
}

/** All objects of a kind, or those of one namespace. */
export function collectionPath(type: ResourceType, { prefix }: PlaneAddress, namespace?: string): string {
  const root = type.group === "" ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const within = namespace === undefined ? "" : `/namespaces/${segment(namespace, "a namespace")}`;
  if (within !== "" && type.scope === "Cluster") throw new TypeError(`${type.plural} are in no namespace`);
  return `${prefix}${root}${within}/${type.plural}`;
}

export function objectPath(type: ResourceType, plane: PlaneAddress, { namespace, name }: ObjectRef): string {
  if (type.scope === "Namespaced" && namespace === undefined)
    throw new TypeError(`${type.plural} are in a namespace each`);
  return `${collectionPath(type, plane, namespace)}/${segment(name, "a name")}`;
}

/** An empty name would make another request of it: one for all objects. */
function segment(text: string, what: string): string {
  if (text === "" || text === "." || text === "..") throw new TypeError(`"${text}" is no ${what.replace(/^an? /, "")}`);
  return encodeURIComponent(text);
}
