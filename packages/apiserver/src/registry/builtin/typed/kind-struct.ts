import type { ServedKind } from "../../kinds/served-kind.ts";

/** The Go struct of a built-in kind: `rbac.v1.Role` for a Role of `rbac.authorization.k8s.io`. */
export function kindStruct({ group, version, kind }: Pick<ServedKind, "group" | "version" | "kind">): string {
  const [first] = group.split(".");
  return `${first === "" ? "core" : first}.${version}.${kind}`;
}
