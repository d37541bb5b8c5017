import { describe, expect, it } from "vitest";
import type { KindCatalog } from "../registry/kinds/kind-catalog.ts";
import type { RequestContext } from "./requests/request-context.ts";
import { type HealthChecks, serverPaths } from "./server-paths.ts";

const version = { major: "1", minor: "34", gitVersion: "v1.34.0" };
const healthy: HealthChecks = { ping: () => undefined, storage: () => undefined };
const full: HealthChecks = { ...healthy, storage: () => "the disk is full" };
const failed: HealthChecks = { ping: () => "the disk failed", storage: () => "the disk failed" };

async function get(path: string, checks: HealthChecks): Promise<unknown> {
  const { pathname, searchParams: query } = new URL(path, "http://a");
  const context = { request: { method: "GET", query, headers: {} }, plane: "root", path: pathname };
  const noKinds = { builtin: [], inPlane: () => ({ all: [] }) } as unknown as KindCatalog;
  const response = await serverPaths(noKinds, version, checks)(context as unknown as RequestContext);
  return response && [response.code, response.body];
}

describe("health checks", () => {
  const cases: Record<string, [path: string, checks: HealthChecks, response: unknown]> = {
    "a healthy server is ready": ["/readyz", healthy, [200, "ok"]],
    "all checks are listed": ["/readyz?verbose", healthy, [200, "[+]ping ok\n[+]storage ok\nreadyz check passed\n"]],
    "a full disk is not ready": [
      "/readyz",
      full,
      [500, "[+]ping ok\n[-]storage failed: the disk is full\nreadyz check failed\n"],
    ],
    "one check can be read alone": [
      "/readyz/storage",
      full,
      [500, "[-]storage failed: the disk is full\nreadyz check failed\n"],
    ],
    "others are not affected": ["/readyz/ping", full, [200, "ok"]],
    "a full disk is alive": ["/livez?verbose", full, [200, "[+]ping ok\nlivez check passed\n"]],
    "a full disk is healthy": ["/healthz", full, [200, "ok"]],
    "liveness has no storage check": ["/livez/storage", full, undefined],
    "a disk that failed needs a restart": [
      "/livez",
      failed,
      [500, "[-]ping failed: the disk failed\nlivez check failed\n"],
    ],
    "there is no other check": ["/readyz/etcd", healthy, undefined],
  };
  it.each(Object.entries(cases))("%s", async (_, [path, checks, response]) => {
    expect(await get(path, checks)).toEqual(response);
  });
});
