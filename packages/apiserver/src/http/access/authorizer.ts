import { type ApiStatus, failure, forbiddenTo } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";
import { mastersGroup } from "./well-known-users.ts";

/** What somebody wants to do. For a resource all but `path` matters, for anything else verb and path alone. */
export interface RequestAttributes {
  readonly user: UserInfo;
  readonly verb: string;
  readonly plane: string;
  /** The name of the part of the plane that the path is for; left out: all of it. */
  readonly view?: string | undefined;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  /** Empty: at the scope of the cluster, or in all namespaces. */
  readonly namespace: string;
  /** Empty for a collection, and for a create. */
  readonly name: string;
  readonly path: string;
  readonly isResource: boolean;
}

/** `none`: this authorizer has nothing to say, and unless another allows it the request is refused. */
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

/** The first authorizer with an opinion decides; all reasons for having none are told. */
export function firstOpinionOf(authorizers: readonly Authorizer[]): Authorizer {
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

/** The attributes of something that is asked for along with a request, such as the right to impersonate. */
export function resourceAttributes(
  user: UserInfo,
  asked: Pick<RequestAttributes, "verb" | "plane" | "group" | "resource"> & Partial<RequestAttributes>,
): RequestAttributes {
  return { version: "*", subresource: "", namespace: "", name: "", path: "", ...asked, user, isResource: true };
}

/** The answer to a request that nobody allows. */
export function forbiddenRequest(attributes: RequestAttributes, reason: string): ApiStatus {
  const because = markupEscaped(deniedText(attributes)) + (reason === "" ? "" : `: ${reason}`);
  const { group, resource, name } = attributes;
  if (group === "" && resource === "")
    return failure("Forbidden", `forbidden: ${because}`, name === "" ? {} : { name });
  return forbiddenTo({ group, resource }, name, because);
}

function deniedText({ user, verb, isResource, ...asked }: RequestAttributes): string {
  const who = `User ${quote(user.username)} cannot ${verb}`;
  if (!isResource) return `${who} path ${quote(asked.path)}`;
  const resource = asked.subresource === "" ? asked.resource : `${asked.resource}/${asked.subresource}`;
  const what = `${who} resource ${quote(resource)} in API group ${quote(asked.group)}`;
  return asked.namespace === "" ? `${what} at the cluster scope` : `${what} in the namespace ${quote(asked.namespace)}`;
}

/** Kubernetes does this because such a message may end up in a page. */
function markupEscaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
