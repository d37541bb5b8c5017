import { rootPlane } from "@milo-quota/apiserver/embedded-server.ts";
import type { PathHandler } from "@milo-quota/apiserver/http/api-server.ts";
import { methodNotAllowed } from "@milo-quota/apiserver/http/responses/responses.ts";
import { textFormat } from "../../telemetry/text-format.ts";

/**
 * Serves `/metrics` on the API server, for users whose roles allow it. Metrics are about all tenants, so only the root plane
 * serves them: rights in the control plane of a tenant do not count.
 */
export function metricsPath(text: () => Promise<string>): PathHandler {
  return async ({ request, plane, path, view }) => {
    if (path !== "/metrics" || plane !== rootPlane || view !== undefined) return undefined;
    if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed();
    return { code: 200, headers: { "content-type": textFormat }, body: await text() };
  };
}
