import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { namespacesType } from "@milo-quota/kubernetes/client/resources/namespaces.ts";
import type { ResourceClient } from "@milo-quota/kubernetes/client/resources/resource-client.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { systemNamespace } from "../../core/resources/well-known.ts";
import { projectPlane } from "../../views/tenant-planes.ts";
import { tenantLayout } from "../plane-layout.ts";
import type { Project } from "../resources/project.ts";
import { projectUidAnnotation } from "../resources/tenancy-names.ts";
import type { TenancyRuntime } from "../tenancy-runtime.ts";
import type { TenantDirectory } from "../tenant-directory.ts";

/**
 * Opens the control plane of a project. The contents of an earlier project of the same name are deleted first; an annotation of
 * a namespace in the plane tells which project the contents belong to.
 */
export async function openProjectPlane(
  { client, planes }: TenancyRuntime,
  directory: Pick<TenantDirectory, "markOpened">,
  { metadata: { name = "", uid = "" } }: Project,
  signal: AbortSignal,
): Promise<void> {
  const plane = projectPlane(name);
  const namespaces = client.inPlane(tenantLayout.addressOf(plane)).resource(namespacesType, anyObject);
  directory.markOpened(name, uid);
  const found = await namespaces.find({ name: systemNamespace }, signal);
  if (found === undefined || ownerOf(found) !== uid) await planes.close(plane);
  await planes.open(plane);
  await markPlane(namespaces, uid, signal);
}

async function markPlane(
  namespaces: ResourceClient<KubernetesObject>,
  uid: string,
  signal: AbortSignal,
): Promise<void> {
  const annotations = { [projectUidAnnotation]: uid };
  const metadata = { name: systemNamespace, annotations };
  const found = await namespaces.find({ name: systemNamespace }, signal);
  if (found !== undefined && ownerOf(found) === uid) return;
  try {
    await namespaces.create({ apiVersion: "v1", kind: "Namespace", metadata }, {}, signal);
  } catch (error) {
    // Other controllers create this namespace as well.
    if (!(error instanceof StatusError) || error.status.reason !== "AlreadyExists") throw error;
    await namespaces.patch(
      { name: systemNamespace },
      { type: "merge", body: { metadata: { annotations } } },
      {},
      signal,
    );
  }
}

function ownerOf({ metadata: { annotations } }: KubernetesObject): string | undefined {
  return annotations?.[projectUidAnnotation];
}
