import {
  childPath,
  type FieldIssue,
  invalid,
  itemPath,
  notSupported,
  required,
} from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { dnsSubdomain, pathSegment } from "@milo-quota/kubernetes/protocol/names.ts";
import type { Column } from "../../kinds/served-kind.ts";
import { builtinKind } from "../builtin-kind.ts";
import { ageColumn, nameColumn, textColumn, typed, wideColumn } from "../columns.ts";
import { isEqual, issueUnless, nameRuleIssues } from "../field-checks.ts";
import { itemsOf, nestedObject, setDefault } from "../typed/draft.ts";
import type { DraftObject } from "../typed/go-round-trip.ts";
import { rbacGroup } from "./role.ts";

interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly apiGroup?: string;
  readonly namespace?: string;
}

interface RoleBinding {
  readonly roleRef: { readonly apiGroup: string; readonly kind: string; readonly name: string };
  readonly subjects?: readonly Subject[];
}

const columns: readonly Column[] = [
  nameColumn,
  textColumn(
    "Role",
    typed<RoleBinding>(({ roleRef }) => `${roleRef.kind}/${roleRef.name}`),
  ),
  ageColumn,
  wideColumn(
    "Users",
    typed<RoleBinding>(({ subjects }) => subjectNames(subjects, "User")),
  ),
  wideColumn(
    "Groups",
    typed<RoleBinding>(({ subjects }) => subjectNames(subjects, "Group")),
  ),
  wideColumn(
    "ServiceAccounts",
    typed<RoleBinding>(({ subjects }) => subjectNames(subjects, "ServiceAccount")),
  ),
];

export const roleBinding = builtinKind<RoleBinding>({
  struct: "rbac.v1.RoleBinding",
  group: rbacGroup,
  plural: "rolebindings",
  scope: "Namespaced",
  nameRule: pathSegment,
  createsOnUpdate: true,
  columns,
  defaults: fillGroups,
  validate: (object, old) => [...bindingIssues(object, "Namespaced"), ...changeIssues(object, old)],
});

export const clusterRoleBinding = builtinKind<RoleBinding>({
  struct: "rbac.v1.ClusterRoleBinding",
  group: rbacGroup,
  plural: "clusterrolebindings",
  scope: "Cluster",
  nameRule: pathSegment,
  createsOnUpdate: true,
  columns,
  defaults: fillGroups,
  validate: (object, old) => [...bindingIssues(object, "Cluster"), ...changeIssues(object, old)],
});

function fillGroups(draft: DraftObject): void {
  setDefault(nestedObject(draft, "roleRef"), "apiGroup", rbacGroup);
  for (const subject of itemsOf(draft, "subjects")) {
    if (subject["kind"] === "User" || subject["kind"] === "Group") setDefault(subject, "apiGroup", rbacGroup);
  }
}

function bindingIssues(
  { roleRef, subjects = [] }: RoleBinding,
  scope: "Namespaced" | "Cluster",
): readonly FieldIssue[] {
  const kinds = scope === "Namespaced" ? ["Role", "ClusterRole"] : ["ClusterRole"];
  return [
    ...issueUnless(roleRef.apiGroup === rbacGroup, () =>
      notSupported("roleRef.apiGroup", roleRef.apiGroup, [rbacGroup]),
    ),
    ...issueUnless(kinds.includes(roleRef.kind), () => notSupported("roleRef.kind", roleRef.kind, kinds)),
    ...(roleRef.name === "" ? [required("roleRef.name")] : nameRuleIssues("roleRef.name", roleRef.name, pathSegment)),
    ...subjects.flatMap((subject, index) => subjectIssues(subject, itemPath("subjects", index), scope)),
  ];
}

function subjectIssues(subject: Subject, path: string, scope: "Namespaced" | "Cluster"): readonly FieldIssue[] {
  const unnamed = issueUnless(subject.name !== "", () => required(childPath(path, "name")));
  switch (subject.kind) {
    case "ServiceAccount":
      return [...unnamed, ...serviceAccountIssues(subject, path, scope)];
    case "User":
    case "Group": {
      const { apiGroup = "" } = subject;
      const group = childPath(path, "apiGroup");
      return [...unnamed, ...issueUnless(apiGroup === rbacGroup, () => notSupported(group, apiGroup, [rbacGroup]))];
    }
    default: {
      const kinds = ["ServiceAccount", "User", "Group"];
      return [...unnamed, notSupported(childPath(path, "kind"), subject.kind, kinds)];
    }
  }
}

function serviceAccountIssues(
  { name, apiGroup = "", namespace = "" }: Subject,
  path: string,
  scope: "Namespaced" | "Cluster",
): readonly FieldIssue[] {
  return [
    ...(name === "" ? [] : nameRuleIssues(childPath(path, "name"), name, dnsSubdomain)),
    ...issueUnless(apiGroup === "", () => notSupported(childPath(path, "apiGroup"), apiGroup, [""])),
    ...issueUnless(scope === "Namespaced" || namespace !== "", () => required(childPath(path, "namespace"))),
  ];
}

function changeIssues({ roleRef }: RoleBinding, old: RoleBinding | undefined): readonly FieldIssue[] {
  return issueUnless(old === undefined || isEqual(roleRef, old.roleRef), () =>
    // With the Go field names that Kubernetes prints here.
    invalid("roleRef", { APIGroup: roleRef.apiGroup, Kind: roleRef.kind, Name: roleRef.name }, "cannot change roleRef"),
  );
}

function subjectNames(subjects: readonly Subject[] = [], kind: string): string {
  return subjects
    .filter((subject) => subject.kind === kind)
    .map(({ name, namespace = "" }) => (kind === "ServiceAccount" ? `${namespace}/${name}` : name))
    .join(", ");
}
