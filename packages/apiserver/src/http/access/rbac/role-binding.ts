import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import { isJsonObject, type JsonObject, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";
import { serviceAccountUsername } from "../service-account-name.ts";
import type { RbacObject } from "./rbac-objects.ts";

export interface RoleRef {
  readonly apiGroup: string;
  readonly kind: string;
  readonly name: string;
}

export interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

/** A RoleBinding, or with an empty namespace a ClusterRoleBinding. */
export interface RoleBinding {
  readonly name: string;
  readonly namespace: string;
  readonly roleRef: RoleRef;
  readonly subjects: readonly Subject[];
}

export function parseBinding({ name, namespace, object = {} }: Omit<RbacObject, "plane" | "resource">): RoleBinding {
  const subjects = ownValue(object, "subjects");
  return {
    name,
    namespace,
    roleRef: parseRoleRef(object),
    subjects: Array.isArray(subjects) ? subjects.filter(isJsonObject).map(parseSubject) : [],
  };
}

export function parseRoleRef(binding: JsonObject): RoleRef {
  const reference = ownValue(binding, "roleRef");
  const read = isJsonObject(reference) ? reference : {};
  return { apiGroup: text(read, "apiGroup"), kind: text(read, "kind"), name: text(read, "name") };
}

function parseSubject(subject: JsonObject): Subject {
  return { kind: text(subject, "kind"), name: text(subject, "name"), namespace: text(subject, "namespace") };
}

function text(object: JsonObject, key: string): string {
  const value = ownValue(object, key);
  return typeof value === "string" ? value : "";
}

/**
 * The key by which subjects and users are compared: `user:…` or `group:…`; undefined for a subject that matches no
 * user.
 */
export function subjectKey(subject: Subject, bindingNamespace: string): string | undefined {
  switch (subject.kind) {
    case "User":
      return `user:${subject.name}`;
    case "Group":
      return `group:${subject.name}`;
    case "ServiceAccount": {
      // A service account without a namespace is in the namespace of the binding.
      const namespace = subject.namespace === "" ? bindingNamespace : subject.namespace;
      return namespace === "" ? undefined : `user:${serviceAccountUsername({ namespace, name: subject.name })}`;
    }
    default:
      return undefined;
  }
}

/** The keys of a user and its groups. */
export function userKeys(user: UserInfo): readonly string[] {
  return [`user:${user.username}`, ...user.groups.map((group) => `group:${group}`)];
}

/** How a message names the binding that allows a request: by its first subject that matches the user. */
export function bindingText(binding: RoleBinding, user: UserInfo): string {
  const keys = userKeys(user);
  const subject = binding.subjects.find((one) => keys.includes(subjectKey(one, binding.namespace) ?? ""));
  const { kind, name } = binding.roleRef;
  const own = binding.namespace === "" ? binding.name : `${binding.name}/${binding.namespace}`;
  const bindingKind = binding.namespace === "" ? "ClusterRoleBinding" : "RoleBinding";
  return `${bindingKind} ${quote(own)} of ${kind} ${quote(name)} to ${subjectText(subject, binding.namespace)}`;
}

function subjectText(subject: Subject | undefined, bindingNamespace: string): string {
  if (subject === undefined) return "an unknown subject";
  if (subject.kind !== "ServiceAccount") return `${subject.kind} ${quote(subject.name)}`;
  const namespace = subject.namespace === "" ? bindingNamespace : subject.namespace;
  return `${subject.kind} ${quote(`${subject.name}/${namespace}`)}`;
}
