import { StatusError } from "../../protocol/api-status.ts";
import type { JsonObject } from "../../protocol/json-value.ts";
import type { KubeClient } from "../resources/kube-client.ts";
import { objectOrThrow } from "../resources/read-reply.ts";
import type { Call } from "../transport/transport.ts";
import {
  readAggregated,
  readGroupVersions,
  readResourceList,
  type ServedResource,
  type ServedResources,
} from "./served-resources.ts";

const aggregatedForms = ["v2", "v2beta1"].map(
  (version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
);

/** Versions of a group that are requested one by one. */
const versionsMax = 20;

/** Resources that a server offers. */
export interface DiscoveryResult extends ServedResources {
  /** Whether the document covers one group or all of them (the core group always has its own document). */
  readonly about: "one-group" | "all-groups";
}

/**
 * Discovers the resources of a group, preferred versions first, and of all other groups if the server supports
 * aggregated discovery.
 */
export async function discover(client: KubeClient, group: string, signal: AbortSignal): Promise<DiscoveryResult> {
  const path = group === "" ? "/api" : "/apis";
  const document = await read(client, path, signal, [...aggregatedForms, "application/json"].join(","));
  if (document["kind"] === "APIGroupDiscoveryList") return { about: "all-groups", ...readAggregated(document) };
  return { about: "one-group", resources: await discoverUnaggregated(client, group, signal), staleGroups: [] };
}

/** One document after the other, for older servers. */
async function discoverUnaggregated(
  client: KubeClient,
  group: string,
  signal: AbortSignal,
): Promise<readonly ServedResource[]> {
  const versions = group === "" ? ["v1"] : await versionsOf(client, group, signal);
  const found: ServedResource[] = [];
  for (const version of versions.slice(0, versionsMax)) {
    const path = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
    const document = await unlessMissing(read(client, path, signal));
    if (document !== undefined) found.push(...readResourceList(group, version, document));
  }
  return found;
}

async function versionsOf(client: KubeClient, group: string, signal: AbortSignal): Promise<readonly string[]> {
  const document = await unlessMissing(read(client, `/apis/${group}`, signal));
  return document === undefined ? [] : readGroupVersions(document);
}

async function unlessMissing(reading: Promise<JsonObject>): Promise<JsonObject | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof StatusError && error.status.code === 404) return undefined;
    throw error;
  }
}

async function read(client: KubeClient, path: string, signal: AbortSignal, accept?: string): Promise<JsonObject> {
  const call: Call = {
    method: "GET",
    path: `${client.plane.prefix}${path}`,
    query: new URLSearchParams(),
    ...(accept === undefined ? {} : { accept }),
  };
  return objectOrThrow(call, await client.transport.request(call, signal));
}
