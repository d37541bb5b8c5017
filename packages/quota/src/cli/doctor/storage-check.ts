import type { Cluster } from "../cluster/cluster.ts";
import { type Finding, problem } from "./finding.ts";

const check = "storage";

/** Reads the readiness of the server. No finding on API servers without this check, and where it cannot be read. */
export async function checkStorage({ transport }: Cluster, signal: AbortSignal): Promise<readonly Finding[]> {
  const query = new URLSearchParams({ verbose: "" });
  const { body } = await transport.request({ method: "GET", path: "/readyz", query, accept: "text/plain" }, signal);
  const [, isOk, fault = ""] = /^\[([+-])\]storage (?:ok|failed: (.*))$/m.exec(body) ?? [];
  if (isOk === undefined) return [];
  if (isOk === "+") return [{ check, state: "ok", message: "all writes are stored" }];
  return [{ check, ...problem(`not all writes are stored: ${fault}`, adviceOn(fault)) }];
}

function adviceOn(fault: string): string {
  if (!fault.startsWith("the disk is full")) return "Check the disk, then restart the server.";
  return "Free space on the disk of the data directory. Until then only deletions are stored.";
}
