import type { GroupKind } from "../core/resources/consumer-ref.ts";
import { objectIn } from "../kube/client/read-reply.ts";
import type { Transport } from "../kube/transport/transport.ts";
import { StatusError } from "../protocol/api-status.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "../protocol/json-value.ts";

/** Whether the root of a server serves a kind, in whatever version. */
export async function isKindServed(
  transport: Transport,
  { apiGroup, kind }: GroupKind,
  signal: AbortSignal,
): Promise<boolean> {
  for (const path of await versionPaths(transport, apiGroup, signal)) {
    const found = await read(transport, path, signal);
    if (itemsOf(found, "resources").some((resource) => ownValue(resource, "kind") === kind)) return true;
  }
  return false;
}

async function versionPaths(transport: Transport, group: string, signal: AbortSignal): Promise<readonly string[]> {
  if (group === "") return ["/api/v1"];
  const found = await read(transport, `/apis/${group}`, signal);
  return itemsOf(found, "versions").map((version) => `/apis/${String(ownValue(version, "groupVersion"))}`);
}

/** Undefined when there is nothing at the path. */
async function read(transport: Transport, path: string, signal: AbortSignal): Promise<JsonObject | undefined> {
  const call = { method: "GET", path, query: new URLSearchParams() } as const;
  try {
    return objectIn(call, await transport.request(call, signal));
  } catch (error) {
    if (error instanceof StatusError && error.status.code === 404) return undefined;
    throw error;
  }
}

function itemsOf(object: JsonObject | undefined, field: string): readonly JsonObject[] {
  const value: JsonValue | undefined = object === undefined ? undefined : ownValue(object, field);
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
