import type { ServedKind } from "../../kinds/served-kind.ts";
import { builtinKind } from "../builtin-kind.ts";
import { plainColumns } from "../columns.ts";

const authentication = "authentication.k8s.io";
const authorization = "authorization.k8s.io";

/** Kinds that are evaluated and never stored: the response to the create is the only result. */
export const reviewKinds: readonly ServedKind[] = [
  review("authentication.v1.TokenReview", authentication, "Cluster"),
  review("authentication.v1.SelfSubjectReview", authentication, "Cluster"),
  review("authorization.v1.SubjectAccessReview", authorization, "Cluster"),
  review("authorization.v1.SelfSubjectAccessReview", authorization, "Cluster"),
  review("authorization.v1.LocalSubjectAccessReview", authorization, "Namespaced"),
  review("authorization.v1.SelfSubjectRulesReview", authorization, "Cluster"),
];

function review(struct: string, group: string, scope: ServedKind["scope"]): ServedKind {
  const kind = struct.slice(struct.lastIndexOf(".") + 1);
  return builtinKind({
    struct,
    group,
    plural: `${kind.toLowerCase()}s`,
    scope,
    verbs: ["create"],
    columns: plainColumns,
  });
}
