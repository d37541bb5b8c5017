// The meaning of a path, by the rules of Kubernetes: /api/v1/namespaces/{ns}/{resource}/{name}/{subresource} and so on.

export interface ResourcePath {
  readonly isResource: true;
  readonly path: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Empty for cluster scope and for all namespaces. */
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  /** `/watch/` in the path, the deprecated way to request a watch. */
  readonly isWatchPath: boolean;
}

export interface OtherPath {
  readonly isResource: false;
  readonly path: string;
}

/** Subresources of Namespace, whose paths look like those of resources in the namespace. */
const namespaceSubresources = new Set(["status", "finalize"]);

export function parsePath(path: string): ResourcePath | OtherPath {
  const other: OtherPath = { isResource: false, path };
  const parts = segments(path);
  if (parts === undefined) return other;
  const group = groupOf(parts);
  if (group === undefined || group.rest.length === 0) return other;
  const isWatchPath = group.rest[0] === "watch" && group.rest.length > 1;
  const rest = isWatchPath ? group.rest.slice(1) : group.rest;
  return { isResource: true, path, group: group.group, version: group.version, isWatchPath, ...target(rest) };
}

function groupOf(parts: readonly string[]) {
  const [root, first, second] = parts;
  if (root === "api" && first !== undefined) return { group: "", version: first, rest: parts.slice(2) };
  if (root === "apis" && first !== undefined && second !== undefined) {
    return { group: first, version: second, rest: parts.slice(3) };
  }
  return undefined;
}

function target(rest: readonly string[]): Pick<ResourcePath, "resource" | "namespace" | "name" | "subresource"> {
  const [first = "", second = "", third = "", fourth = ""] = rest;
  const isInNamespace = first === "namespaces" && rest.length > 2 && !namespaceSubresources.has(third);
  if (!isInNamespace) return { resource: first, namespace: "", name: second, subresource: rest.slice(2).join("/") };
  return { namespace: second, resource: third, name: fourth, subresource: rest.slice(4).join("/") };
}

/** Undefined for a malformed path: empty segments, or invalid escapes. */
function segments(path: string): readonly string[] | undefined {
  const decoded = decodedPath(path);
  if (decoded === undefined) return undefined;
  const inner = decoded.startsWith("/") ? decoded.slice(1) : decoded;
  const parts = (inner.endsWith("/") ? inner.slice(0, -1) : inner).split("/");
  return parts.includes("") ? undefined : parts;
}

/** An escaped slash counts as a slash. Undefined for invalid escapes. */
function decodedPath(path: string): string | undefined {
  if (!path.includes("%")) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
