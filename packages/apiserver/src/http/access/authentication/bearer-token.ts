import type { RequestHeaders } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import { firstHeader } from "../authenticator.ts";

/** The content of the Authorization header. Schemes other than Bearer count as no token. */
export type BearerToken =
  | { readonly shown: "token"; readonly token: string }
  | { readonly shown: "nothing"; readonly warning?: string };

const extraSpace = "the provided Authorization header contains extra space before the bearer token, and is ignored";

export function bearerTokenOf(headers: RequestHeaders): BearerToken {
  const parts = firstHeader(headers, "authorization").trim().split(" ");
  const [scheme = "", token] = parts;
  if (token === undefined || scheme.toLowerCase() !== "bearer") return { shown: "nothing" };
  if (token !== "") return { shown: "token", token };
  return { shown: "nothing", ...(parts.length > 2 ? { warning: extraSpace } : {}) };
}
