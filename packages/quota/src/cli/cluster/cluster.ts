import { RestMapper } from "@milo-quota/kubernetes/client/discovery/rest-mapper.ts";
import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { KubeClient, rootPlane } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import { HttpTransport } from "@milo-quota/kubernetes/client/transport/http-transport.ts";
import type { Transport } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { ConsumerRef } from "../../core/resources/fields/consumer-ref.ts";
import type { CliContext } from "../cli-context.ts";
import { CommandError } from "../command-error.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ClusterFlags } from "./cluster-flags.ts";
import { listAll } from "./list-all.ts";
import { resolveAccess } from "./resolve-access.ts";
import {
  isOrganization,
  isProject,
  mergeTenants,
  organizationAddress,
  projectAddress,
  projectsType,
  splitTenantPath,
} from "./tenant-addresses.ts";

/** A cluster, and the control plane that a command works on. */
export class Cluster {
  readonly transport: Transport;
  readonly url: string;
  /** The root control plane, or the view of it that an organization has. Registrations and tenants are read here. */
  readonly root: KubeClient;
  /** The control plane that the command works on: the root, unless a project is selected. */
  readonly target: KubeClient;
  /** From --namespace. */
  readonly namespace: string | undefined;
  /** For objects in files that name no namespace. */
  readonly defaultNamespace: string;
  readonly printErr: CliContext["printErr"];
  readonly clock: CliContext["clock"];

  constructor(flags: Omit<ClusterFlags, "requestTimeout">, cli: CliContext) {
    const access = resolveAccess(flags, cli);
    const { server, tenants } = splitTenantPath(access.server);
    const { organization, project } = mergeTenants(tenants, flags);
    this.transport = new HttpTransport({ ...access, server }, { userAgent: "milo-quota-cli" });
    this.url = server.href.replace(/\/$/, "");
    const root = new KubeClient(this.transport, rootPlane);
    this.root = organization === undefined ? root : root.inPlane(organizationAddress(organization));
    this.target = project === undefined ? this.root : root.inPlane(projectAddress(project));
    this.namespace = flags.namespace;
    // The namespace of a kubeconfig context belongs to the control plane of that context, not to another one.
    const isPlaneOfContext = project === undefined || tenants.project === project || tenants.organization === undefined;
    this.defaultNamespace = flags.namespace ?? (isPlaneOfContext ? access.namespace : "default");
    this.printErr = cli.printErr;
    this.clock = cli.clock;
  }

  /** The control plane that holds a consumer's claims and buckets: the object's own, unless the consumer is a tenant. */
  planeOf(consumer: ConsumerRef, objectPlane: KubeClient): KubeClient {
    if (isProject(consumer)) return this.root.inPlane(projectAddress(consumer.name));
    return isOrganization(consumer) ? this.root : objectPlane;
  }

  /** The target, and, if that is the root, the control planes of all projects. */
  async planes(signal: AbortSignal): Promise<readonly KubeClient[]> {
    if (this.target !== this.root) return [this.target];
    const projects = await this.#projects(signal);
    return [this.root, ...projects.map((name) => this.root.inPlane(projectAddress(name)))];
  }

  restMapper(): RestMapper {
    const clients = new Map([this.root, this.target].map((client) => [client.plane.plane, client]));
    return new RestMapper((plane) => clients.get(plane) ?? this.root, this.clock);
  }

  close(): Promise<void> {
    return this.transport.close();
  }

  /** Empty on a cluster without projects, which has one control plane. */
  async #projects(signal: AbortSignal): Promise<readonly string[]> {
    try {
      const projects = await listAll(this.root.resource(projectsType, anyObject), {}, signal);
      return projects.map(({ metadata }) => metadata.name ?? "");
    } catch (error) {
      if (error instanceof StatusError && error.status.code === 404) return [];
      throw error;
    }
  }
}

/** `root` or `project NAME`. */
export function planeName({ plane }: KubeClient): string {
  return plane.plane === rootPlane.plane ? "root" : plane.plane.replace(/^project-/, "project ");
}

export function notInstalled(plural: string): CommandError {
  const advice = "`milo-quota up` runs a server with quota; on another cluster, apply the files in deploy/crds first.";
  return new CommandError(`the server does not serve ${plural}: quota is not installed`, exitCodes.notFound, advice);
}
