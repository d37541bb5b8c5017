import type { AnyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { objectOrThrow } from "@milo-quota/kubernetes/client/resources/read-reply.ts";
import type { Call } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { isJsonObject, type JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { parseApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { RequestUser } from "../../core/policy/policy-variables.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { CommandError } from "../command-error.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Manifest } from "../manifests.ts";
import { readManifests } from "../manifests.ts";
import type { PlannedObject } from "./policy-claims.ts";

/** Reads the objects in files, completed as kubectl would before creating them. */
export async function readPlannedObjects(
  files: readonly string[],
  cluster: Cluster,
  signal: AbortSignal,
): Promise<readonly PlannedObject[]> {
  const { manifests, unreadable } = readManifests(files);
  if (unreadable.length > 0) throw new CommandError(unreadable.join("\n"), exitCodes.usageError);
  if (manifests.length === 0) throw new CommandError(`no objects found in ${files.join(", ")}`, exitCodes.usageError);
  const restMapper = cluster.restMapper();
  const user = await currentUser(cluster, signal);
  const planned: PlannedObject[] = [];
  for (const manifest of manifests) {
    const object = objectOf(manifest);
    const { group } = parseApiVersion(object.apiVersion);
    const plane = cluster.target.plane;
    const type = await restMapper.resourceFor(plane.plane, { apiGroup: group, kind: object.kind });
    if (type === undefined) throw unknownKind(object);
    const namePrefix = generatedPrefix(manifest);
    const prefix = namePrefix === undefined ? {} : { namePrefix };
    planned.push({ object: withNamespace(object, type.scope, cluster), type, plane, user, ...prefix });
  }
  return planned;
}

/** Adds a placeholder where the server would generate the name, because policies need one. */
function objectOf({ object, file, position }: Manifest): AnyObject {
  const metadata = isJsonObject(object["metadata"]) ? object["metadata"] : {};
  const { apiVersion, kind } = object;
  const hasName = typeof metadata["name"] === "string" || typeof metadata["generateName"] === "string";
  if (typeof apiVersion !== "string" || typeof kind !== "string" || !hasName) {
    const message = `document ${position} of ${file} is not an object: it needs apiVersion, kind and metadata.name`;
    throw new CommandError(message, exitCodes.usageError);
  }
  const name = String(metadata["name"] ?? `${String(metadata["generateName"])}x${position.replaceAll(".", "-")}`);
  return { ...object, metadata: { ...metadata, name } } as unknown as AnyObject;
}

function generatedPrefix({ object }: Manifest): string | undefined {
  const { name, generateName } = object["metadata"] as { name?: string; generateName?: string };
  return name === undefined ? generateName : undefined;
}

function withNamespace(object: AnyObject, scope: "Namespaced" | "Cluster", { defaultNamespace }: Cluster): JsonObject {
  if (scope === "Cluster" || object.metadata.namespace !== undefined) return object;
  return { ...object, metadata: { ...object.metadata, namespace: defaultNamespace } } as unknown as JsonObject;
}

function unknownKind({ apiVersion, kind }: AnyObject): CommandError {
  const message = `the server does not serve kind ${kind} in ${apiVersion}`;
  const advice = "Install its CRD first, or correct apiVersion and kind.";
  return new CommandError(message, exitCodes.notFound, advice);
}

const anonymous: RequestUser = { name: "", uid: "", groups: [], extra: {} };

/** The user as the server authenticates it, which policies may refer to. Empty if the server does not tell. */
async function currentUser({ root, transport }: Cluster, signal: AbortSignal): Promise<RequestUser> {
  const text = '{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}';
  const call: Call = {
    method: "POST",
    path: `${root.plane.prefix}/apis/authentication.k8s.io/v1/selfsubjectreviews`,
    query: new URLSearchParams(),
    body: { type: "application/json", text },
  };
  try {
    const review = objectOrThrow(call, await transport.request(call, signal));
    const { userInfo = {} } = (review["status"] ?? {}) as { userInfo?: Partial<RequestUser> & { username?: string } };
    return { ...anonymous, ...userInfo, name: userInfo.username ?? "" };
  } catch (error) {
    if (error instanceof StatusError && error.status.code < 500 && error.status.code !== 401) return anonymous;
    throw error;
  }
}
