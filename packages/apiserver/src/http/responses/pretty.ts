import type { ApiRequest } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import { firstHeader } from "../access/authenticator.ts";

/** Indents for browsers and curl, not for programs. */
export function isPretty({ query, headers }: ApiRequest): boolean {
  const asked = query.get("pretty");
  if (asked !== null) return asked !== "false" && asked !== "0";
  return /^(?:curl|Wget|Mozilla)/.test(firstHeader(headers, "user-agent"));
}
