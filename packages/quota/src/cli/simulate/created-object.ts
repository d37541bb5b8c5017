import type { AnyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { objectIn } from "@milo-quota/kubernetes/client/resources/read-reply.ts";
import type { Call } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { isJsonObject, type JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { parseApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { RequestUser } from "../../core/policy/policy-variables.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { CommandFailure } from "../command-failure.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Manifest } from "../manifests.ts";
import { readManifests } from "../manifests.ts";
import type { Creation } from "./wanted-claims.ts";

/** The objects of files, as they would be created here. */
export async function creationsFrom(
  files: readonly string[],
  cluster: Cluster,
  signal: AbortSignal,
): Promise<readonly Creation[]> {
  const { manifests, unreadable } = readManifests(files);
  if (unreadable.length > 0) throw new CommandFailure(unreadable.join("\n"), exitCodes.unusable);
  if (manifests.length === 0) throw new CommandFailure(`there is no object in ${files.join(", ")}`, exitCodes.unusable);
  const directory = cluster.directory();
  const user = await whoWeAre(cluster, signal);
  const creations: Creation[] = [];
  for (const manifest of manifests) {
    const object = objectOf(manifest);
    const { group } = parseApiVersion(object.apiVersion);
    const plane = cluster.here.plane;
    const type = await directory.find(plane.plane, { apiGroup: group, kind: object.kind });
    if (type === undefined) throw unknownKind(object);
    const namePrefix = madeFrom(manifest);
    const made = namePrefix === undefined ? {} : { namePrefix };
    creations.push({ object: placed(object, type.scope, cluster), type, plane, user, ...made });
  }
  return creations;
}

/** A name is made up where the server would make one: policies need some. */
function objectOf({ object, file, position }: Manifest): AnyObject {
  const metadata = isJsonObject(object["metadata"]) ? object["metadata"] : {};
  const { apiVersion, kind } = object;
  const hasName = typeof metadata["name"] === "string" || typeof metadata["generateName"] === "string";
  if (typeof apiVersion !== "string" || typeof kind !== "string" || !hasName) {
    const message = `document ${position} of ${file} is no object: it needs apiVersion, kind and metadata.name`;
    throw new CommandFailure(message, exitCodes.unusable);
  }
  const name = String(metadata["name"] ?? `${String(metadata["generateName"])}x${position.replaceAll(".", "-")}`);
  return { ...object, metadata: { ...metadata, name } } as unknown as AnyObject;
}

function madeFrom({ object }: Manifest): string | undefined {
  const { name, generateName } = object["metadata"] as { name?: string; generateName?: string };
  return name === undefined ? generateName : undefined;
}

function placed(object: AnyObject, scope: "Namespaced" | "Cluster", { defaultNamespace }: Cluster): JsonObject {
  if (scope === "Cluster" || object.metadata.namespace !== undefined) return object;
  return { ...object, metadata: { ...object.metadata, namespace: defaultNamespace } } as unknown as JsonObject;
}

function unknownKind({ apiVersion, kind }: AnyObject): CommandFailure {
  const message = `the server has no kind ${kind} in ${apiVersion}`;
  const advice = "Install its definition first, or correct apiVersion and kind.";
  return new CommandFailure(message, exitCodes.missing, advice);
}

const nobody: RequestUser = { name: "", uid: "", groups: [], extra: {} };

/** As the server knows us; policies may look at it. Servers that do not tell make us nobody. */
async function whoWeAre({ home, transport }: Cluster, signal: AbortSignal): Promise<RequestUser> {
  const text = '{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}';
  const call: Call = {
    method: "POST",
    path: `${home.plane.prefix}/apis/authentication.k8s.io/v1/selfsubjectreviews`,
    query: new URLSearchParams(),
    body: { type: "application/json", text },
  };
  try {
    const review = objectIn(call, await transport.request(call, signal));
    const { userInfo = {} } = (review["status"] ?? {}) as { userInfo?: Partial<RequestUser> & { username?: string } };
    return { ...nobody, ...userInfo, name: userInfo.username ?? "" };
  } catch (error) {
    if (error instanceof StatusError && error.status.code < 500 && error.status.code !== 401) return nobody;
    throw error;
  }
}
