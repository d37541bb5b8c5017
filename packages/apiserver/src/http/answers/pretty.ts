import { firstHeader } from "../access/authenticator.ts";
import type { ApiRequest } from "../api-request.ts";

/** People who look at answers by hand get them indented; programs do not. */
export function isPretty({ query, headers }: ApiRequest): boolean {
  const asked = query.get("pretty");
  if (asked !== null) return asked !== "false" && asked !== "0";
  return /^(?:curl|Wget|Mozilla)/.test(firstHeader(headers, "user-agent"));
}
