import { formatApiVersion, parseApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { builtinKinds } from "../../registry/builtin/builtin-kinds.ts";
import { scaleKind } from "../../registry/scale/scale-kind.ts";
import { hasMessage } from "./message-table.ts";

/** The kind and version that an object declares. */
export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Sent to a subresource only; not a resource of its own. */
const tokenRequest = { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" };

const structs = new Map<string, string>(
  [...builtinKinds, scaleKind, tokenRequest].map(({ group, version, kind }) => {
    const [folder = ""] = group === "" ? ["core"] : group.split(".");
    return [keyOf({ apiVersion: formatApiVersion(group, version), kind }), `${folder}.${version}.${kind}`];
  }),
);

/** The Go struct of a kind; undefined for kinds without a protobuf encoding here. */
export function structOfKind(name: TypeMeta): string | undefined {
  // Clients send these options under the group of the objects they delete.
  if (name.kind === "DeleteOptions" && parseApiVersion(name.apiVersion).version !== "") return "meta.v1.DeleteOptions";
  const struct = structs.get(keyOf(name));
  return struct !== undefined && hasMessage(struct) ? struct : undefined;
}

function keyOf({ apiVersion, kind }: TypeMeta): string {
  return `${apiVersion} ${kind}`;
}
