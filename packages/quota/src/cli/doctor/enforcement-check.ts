import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { type Enforcement, enforcementNotice } from "../../core/resources/enforcement.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { enforcementIn } from "../enforcement.ts";
import { type Finding, warning } from "./finding.ts";

const check = "enforcement";

/** Reads the metrics of the server, which report the mode if quota runs in the server's process. */
export async function checkEnforcement(cluster: Cluster, signal: AbortSignal): Promise<readonly Finding[]> {
  try {
    const enforcement = await readEnforcement(cluster, signal);
    return enforcement === undefined ? [] : [{ check, ...verdictOn(enforcement) }];
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return [{ check, ...warning("you lack permission to read metrics: not checked") }];
  }
}

function verdictOn(enforcement: Enforcement): Omit<Finding, "check"> {
  const notice = enforcementNotice(enforcement);
  if (notice === undefined) return { state: "ok", message: "requests over quota are rejected" };
  const advice = "To reject requests over quota again, start `milo-quota up` without --enforcement.";
  return warning(`${enforcement}: ${notice}`, advice);
}

/** Streams the metrics, which are long on a large cluster. */
async function readEnforcement({ transport }: Cluster, signal: AbortSignal): Promise<Enforcement | undefined> {
  let found: Enforcement | undefined;
  const sink = {
    onOpened: () => undefined,
    onLine: (text: string) => {
      found ??= enforcementIn(text);
    },
  };
  const call = { method: "GET", path: "/metrics", query: new URLSearchParams(), accept: "text/plain" } as const;
  await transport.stream(call, sink, signal);
  return found;
}
