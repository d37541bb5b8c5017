import { type ApiStatus, failure, resourceForbidden } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";
import { mastersGroup } from "./well-known-users.ts";

/**
 * The subject of an authorization check. For a resource all but `path` matters, for any other path verb and path only.
 */
export interface RequestAttributes {
  readonly user: UserInfo;
  readonly verb: string;
  readonly plane: string;
  /** The scoped view of the plane that the path names; left out: the whole plane. */
  readonly view?: string | undefined;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  /** Empty: cluster scope, or all namespaces. */
  readonly namespace: string;
  /** Empty for a collection, and for a create. */
  readonly name: string;
  readonly path: string;
  readonly isResource: boolean;
}

/** `none`: this authorizer has no opinion; the request is forbidden unless another one allows it. */
export interface Decision {
  readonly outcome: "allow" | "deny" | "none";
  readonly reason: string;
}

export interface Authorizer {
  authorize(attributes: RequestAttributes, signal: AbortSignal): Promise<Decision>;
}

export const allowMasters: Authorizer = {
  async authorize({ user }) {
    return { outcome: user.groups.includes(mastersGroup) ? "allow" : "none", reason: "" };
  },
};

/** The first authorizer with an opinion decides; otherwise the reasons of all of them are returned. */
export function unionAuthorizer(authorizers: readonly Authorizer[]): Authorizer {
  return {
    async authorize(attributes, signal) {
      const reasons: string[] = [];
      for (const authorizer of authorizers) {
        const decision = await authorizer.authorize(attributes, signal);
        if (decision.outcome !== "none") return decision;
        if (decision.reason !== "") reasons.push(decision.reason);
      }
      return { outcome: "none", reason: reasons.join("\n") };
    },
  };
}

/** The attributes of a permission that a request needs besides its own, such as `impersonate`. */
export function resourceAttributes(
  user: UserInfo,
  asked: Pick<RequestAttributes, "verb" | "plane" | "group" | "resource"> & Partial<RequestAttributes>,
): RequestAttributes {
  return { version: "*", subresource: "", namespace: "", name: "", path: "", ...asked, user, isResource: true };
}

/** The response to a request that no authorizer allows. */
export function forbiddenRequest(attributes: RequestAttributes, reason: string): ApiStatus {
  const because = markupEscaped(deniedText(attributes)) + (reason === "" ? "" : `: ${reason}`);
  const { group, resource, name } = attributes;
  if (group === "" && resource === "")
    return failure("Forbidden", `forbidden: ${because}`, name === "" ? {} : { name });
  return resourceForbidden({ group, resource }, name, because);
}

function deniedText({ user, verb, isResource, ...asked }: RequestAttributes): string {
  const who = `User ${quote(user.username)} cannot ${verb}`;
  if (!isResource) return `${who} path ${quote(asked.path)}`;
  const resource = asked.subresource === "" ? asked.resource : `${asked.resource}/${asked.subresource}`;
  const what = `${who} resource ${quote(resource)} in API group ${quote(asked.group)}`;
  return asked.namespace === "" ? `${what} at the cluster scope` : `${what} in the namespace ${quote(asked.namespace)}`;
}

/** Kubernetes escapes markup because such a message may be shown in a web page. */
function markupEscaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
