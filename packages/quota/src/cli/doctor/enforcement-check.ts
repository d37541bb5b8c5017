import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { type Enforcement, laxityOf } from "../../core/resources/enforcement.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { enforcementIn } from "../enforcement.ts";
import { type Finding, warning } from "./finding.ts";

const check = "enforcement";

/** Only a server with quota in its own process tells: by its metrics. */
export async function examineEnforcement(cluster: Cluster, signal: AbortSignal): Promise<readonly Finding[]> {
  try {
    const enforcement = await readEnforcement(cluster, signal);
    return enforcement === undefined ? [] : [{ check, ...verdictOn(enforcement) }];
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return [{ check, ...warning("you may not read metrics: not looked at") }];
  }
}

function verdictOn(enforcement: Enforcement): Omit<Finding, "check"> {
  const laxity = laxityOf(enforcement);
  if (laxity === undefined) return { state: "ok", message: "what does not fit is refused" };
  const advice = "When it is to be refused again, start `milo-quota up` without `--enforcement`.";
  return warning(`${enforcement}: ${laxity}`, advice);
}

/** Line by line: metrics of a large cluster are long. */
async function readEnforcement({ transport }: Cluster, signal: AbortSignal): Promise<Enforcement | undefined> {
  let found: Enforcement | undefined;
  const sink = {
    opened: () => undefined,
    line: (text: string) => {
      found ??= enforcementIn(text);
    },
  };
  const call = { method: "GET", path: "/metrics", query: new URLSearchParams(), accept: "text/plain" } as const;
  await transport.stream(call, sink, signal);
  return found;
}
