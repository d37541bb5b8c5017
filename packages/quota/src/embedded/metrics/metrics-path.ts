import { rootPlane } from "@milo-quota/apiserver/embedded-server.ts";
import { methodNotAllowed } from "@milo-quota/apiserver/http/answers/answers.ts";
import type { OtherPaths } from "@milo-quota/apiserver/http/api-server.ts";
import { textFormat } from "../../telemetry/text-format.ts";

/**
 * `/metrics` of the API server, for those whose roles name it. They tell of all tenants, so they are in no control plane
 * but the root, whatever rights somebody has in another.
 */
export function metricsPath(text: () => Promise<string>): OtherPaths {
  return async ({ request, plane, path, view }) => {
    if (path !== "/metrics" || plane !== rootPlane || view !== undefined) return undefined;
    if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed();
    return { code: 200, headers: { "content-type": textFormat }, body: await text() };
  };
}
