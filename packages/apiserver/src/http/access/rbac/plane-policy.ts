import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";
import { type PolicyRule, parseRules } from "./policy-rule.ts";
import type { RbacObject } from "./rbac-objects.ts";
import { parseBinding, type RoleBinding, type RoleRef, subjectKey, userKeys } from "./role-binding.ts";

/** A binding that applies to a user, with the rules it grants; undefined when its role does not exist. */
export interface Grant {
  readonly binding: RoleBinding;
  readonly rules: readonly PolicyRule[] | undefined;
}

/**
 * The roles and bindings of one plane, indexed by subject, so that authorization costs as much as the user's own
 * bindings and not as much as all bindings.
 */
export class PlanePolicy {
  /** Keyed by `namespace/name`; cluster roles have no namespace. */
  readonly #roles = new Map<string, readonly PolicyRule[]>();
  readonly #bindings = new Map<string, RoleBinding>();
  /** Keyed by `namespace/` and the subject's key; names of namespaces have no slash. */
  readonly #bySubject = new Map<string, Set<RoleBinding>>();

  /** Applies the latest state of a role or binding. */
  apply(changed: RbacObject): void {
    const key = keyOf(changed.namespace, changed.name);
    switch (changed.resource) {
      case "roles":
      case "clusterroles":
        if (changed.object === undefined) this.#roles.delete(key);
        else this.#roles.set(key, parseRules(changed.object));
        return;
      case "rolebindings":
      case "clusterrolebindings":
        this.#forget(key);
        if (changed.object !== undefined) this.#remember(key, parseBinding(changed));
        return;
      default:
        changed.resource satisfies never;
    }
  }

  /** Cluster role bindings first, then those of the namespace. */
  *grantsFor(user: UserInfo, namespace: string): Generator<Grant> {
    const keys = userKeys(user);
    for (const scope of namespace === "" ? [""] : ["", namespace]) {
      for (const binding of this.#bindingsOf(keys, scope)) {
        yield { binding, rules: this.rulesOf(binding.roleRef, scope) };
      }
    }
  }

  /** Undefined when the role does not exist. `namespace` is that of the binding. */
  rulesOf({ kind, name }: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    if (kind === "ClusterRole") return this.#roles.get(keyOf("", name));
    return kind === "Role" && namespace !== "" ? this.#roles.get(keyOf(namespace, name)) : undefined;
  }

  #bindingsOf(keys: readonly string[], namespace: string): ReadonlySet<RoleBinding> {
    const found = new Set<RoleBinding>();
    for (const key of keys) {
      for (const binding of this.#bySubject.get(keyOf(namespace, key)) ?? []) found.add(binding);
    }
    return found;
  }

  #remember(key: string, binding: RoleBinding): void {
    this.#bindings.set(key, binding);
    for (const subject of indexKeys(binding)) {
      const others = this.#bySubject.get(subject);
      if (others === undefined) this.#bySubject.set(subject, new Set([binding]));
      else others.add(binding);
    }
  }

  #forget(key: string): void {
    const binding = this.#bindings.get(key);
    if (binding === undefined) return;
    this.#bindings.delete(key);
    for (const subject of indexKeys(binding)) {
      const others = this.#bySubject.get(subject);
      others?.delete(binding);
      if (others?.size === 0) this.#bySubject.delete(subject);
    }
  }
}

function indexKeys({ namespace, subjects }: RoleBinding): readonly string[] {
  return subjects.flatMap((subject) => {
    const key = subjectKey(subject, namespace);
    return key === undefined ? [] : [keyOf(namespace, key)];
  });
}

function keyOf(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}
