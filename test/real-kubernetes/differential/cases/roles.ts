import { cases } from "../case.ts";
import { asTable, get, patch, post, put, remove, unseen } from "../steps.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const roles = `${rbac}/namespaces/{ns}/roles`;
const bindings = `${rbac}/namespaces/{ns}/rolebindings`;
const clusterRoles = `${rbac}/clusterroles`;
const clusterBindings = `${rbac}/clusterrolebindings`;
const group = "rbac.authorization.k8s.io";
const maps = { apiGroups: [""], resources: ["configmaps"], verbs: ["get"] };
const nobody = { kind: "User", name: "nobody", apiGroup: group };
const role = (rules: readonly object[], name = "one") => ({ metadata: { name }, rules });
const binding = (roleRef: object, subjects: readonly object[], name = "one") => ({
  metadata: { name },
  roleRef,
  subjects,
});
const toRole = { kind: "Role", name: "one", apiGroup: group };

/** The user `nobody` can manage roles and read ConfigMaps. */
const trusted = [
  post(
    roles,
    role([{ apiGroups: [group], resources: ["roles", "rolebindings"], verbs: ["*"] }, maps], "trusted"),
    unseen,
  ),
  post(bindings, binding({ ...toRole, name: "trusted" }, [nobody], "trusted"), unseen),
  get(roles, { as: "nobody", until: 200, unseen: true }),
];

export const roleCases = cases("role", {
  "a role": [post(roles, role([maps])), get(`${roles}/one`, asTable)],
  "no rules": [post(roles, { metadata: { name: "one" } })],
  "invalid rules": [
    post(
      roles,
      role([
        {},
        { verbs: ["get"] },
        { verbs: ["get"], nonResourceURLs: ["/x"] },
        { ...maps, resourceNames: ["a"], verbs: [] },
      ]),
    ),
  ],
  "a name with a colon": [
    post(roles, role([maps], "system:one")),
    post(roles, role([maps], "a/b")),
    post(roles, role([maps], "a%b")),
  ],
  "a cluster role": [
    post(clusterRoles, role([maps, { nonResourceURLs: ["/x/*"], verbs: ["get"] }], "{ns}-one")),
    post(clusterRoles, role([{ ...maps, nonResourceURLs: ["/x"] }], "{ns}-two")),
    remove(`${clusterRoles}/{ns}-one`, undefined, unseen),
  ],
  aggregated: [
    post(clusterRoles, { metadata: { name: "{ns}-part", labels: { "{ns}": "yes" } }, rules: [maps] }, unseen),
    post(
      clusterRoles,
      {
        metadata: { name: "{ns}-all" },
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { "{ns}": "yes" } }] },
      },
      unseen,
    ),
    get(`${clusterRoles}/{ns}-all`, { untilWith: "configmaps" }),
    remove(`${clusterRoles}/{ns}-all`, undefined, unseen),
    remove(`${clusterRoles}/{ns}-part`, undefined, unseen),
  ],
  "invalid aggregation selectors": [
    post(clusterRoles, { metadata: { name: "{ns}-all" }, aggregationRule: { clusterRoleSelectors: [] } }),
    post(clusterRoles, {
      metadata: { name: "{ns}-all" },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { "a b": "c" } }] },
    }),
  ],
  "a binding": [
    post(
      bindings,
      binding(toRole, [
        nobody,
        { kind: "ServiceAccount", name: "sa" },
        { kind: "ServiceAccount", name: "sa", namespace: "x" },
        { kind: "Group", name: "g", apiGroup: group },
      ]),
    ),
    get(`${bindings}/one`, asTable),
  ],
  "a binding with defaults": [
    post(
      bindings,
      binding({ kind: "Role", name: "one" }, [
        { kind: "User", name: "a" },
        { kind: "ServiceAccount", name: "b", namespace: "{ns}" },
      ]),
    ),
  ],
  "an invalid binding": [
    post(bindings, { metadata: { name: "one" } }),
    post(
      bindings,
      binding({ kind: "Odd", name: "", apiGroup: "x" }, [
        { kind: "Odd", name: "" },
        { kind: "User", name: "", apiGroup: "x" },
      ]),
    ),
  ],
  "another roleRef of a binding": [
    post(bindings, binding(toRole, [nobody]), unseen),
    put(`${bindings}/one`, binding({ ...toRole, name: "two" }, [nobody])),
    patch("merge", `${bindings}/one`, { subjects: [] }),
  ],
  "an invalid cluster binding": [
    post(clusterBindings, binding(toRole, [nobody], "{ns}-one")),
    post(
      clusterBindings,
      binding(
        { kind: "ClusterRole", name: "view", apiGroup: group },
        [{ kind: "ServiceAccount", name: "x" }],
        "{ns}-one",
      ),
    ),
  ],
  "permissions that the user has": [...trusted, post(roles, role([maps]), { as: "nobody" })],
  "permissions that the user lacks": [
    ...trusted,
    post(
      roles,
      role([
        { ...maps, verbs: ["get", "delete"] },
        { apiGroups: ["apps"], resources: ["*"], verbs: ["*"] },
      ]),
      { as: "nobody" },
    ),
    put(`${roles}/trusted`, role([{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }], "trusted"), { as: "nobody" }),
    post(roles, role([]), { as: "nobody" }),
  ],
  "a binding of permissions that the user lacks": [
    ...trusted,
    post(roles, role([{ ...maps, verbs: ["delete"] }]), unseen),
    post(bindings, binding(toRole, [nobody]), { as: "nobody" }),
    post(bindings, binding({ ...toRole, name: "nope" }, [nobody]), { as: "nobody" }),
    post(bindings, binding({ kind: "ClusterRole", name: "cluster-admin", apiGroup: group }, [nobody]), {
      as: "nobody",
    }),
    post(bindings, binding({ ...toRole, name: "trusted" }, [nobody]), { as: "nobody" }),
  ],
  "cluster roles without permission": [post(clusterRoles, role([maps], "{ns}-one"), { as: "nobody" })],
});
