import type { AdmissionPlugin, AdmissionRequest } from "../../../registry/admission/admission-plugin.ts";
import type { RequestAttributes } from "../authorizer.ts";
import { confirmNoEscalation, type EscalationDeps } from "./escalation.ts";
import { rbacGroup } from "./rbac-objects.ts";

/** Runs after mutating admission: checks roles and bindings as they will be stored. */
export function escalationCheck(deps: EscalationDeps): AdmissionPlugin {
  return {
    name: "escalation",
    async validate(request, signal) {
      const { object, oldObject } = request;
      if (object !== undefined && request.kind.group === rbacGroup) {
        await confirmNoEscalation({ request: attributesOf(request), object, old: oldObject }, deps, signal);
      }
      return { allowed: true };
    },
  };
}

function attributesOf({
  operation,
  userInfo: user,
  plane,
  kind,
  namespace,
  name,
  subresource,
}: AdmissionRequest): RequestAttributes {
  const verb = operation === "CREATE" ? "create" : "update";
  const { group, version, plural: resource } = kind;
  const asked = { verb, plane, group, version, resource, subresource, namespace, path: "" };
  return { ...asked, user, name: operation === "CREATE" ? "" : name, isResource: true };
}
