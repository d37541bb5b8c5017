import { KindDirectory } from "@milo-quota/kubernetes/client/discovery/kind-directory.ts";
import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { KubeClient, rootPlane } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import { SocketTransport } from "@milo-quota/kubernetes/client/transport/socket-transport.ts";
import type { Transport } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { ConsumerRef } from "../../core/resources/fields/consumer-ref.ts";
import { CommandFailure } from "../command-failure.ts";
import { exitCodes } from "../exit-codes.ts";
import { accessOf, type Surroundings } from "./chosen-access.ts";
import type { ClusterFlags } from "./cluster-flags.ts";
import { listAll } from "./object-lists.ts";
import {
  isOrganization,
  isProject,
  organizationAddress,
  projectAddress,
  projectsType,
  tenantsIn,
  tenantsMeant,
} from "./tenant-addresses.ts";

/** A cluster, and the part of it that a command is about. */
export class Cluster {
  readonly transport: Transport;
  readonly url: string;
  /** Where what holds for all is read: the root, or what an organization sees of it. */
  readonly home: KubeClient;
  /** What the command is about: home, unless a project was named. */
  readonly here: KubeClient;
  /** Only this one, if somebody named it. */
  readonly namespace: string | undefined;
  /** Where objects go whose namespace nobody names. */
  readonly defaultNamespace: string;
  readonly note: Surroundings["note"];
  readonly clock: Surroundings["clock"];

  constructor(flags: Omit<ClusterFlags, "requestTimeout">, surroundings: Surroundings) {
    const access = accessOf(flags, surroundings);
    const { server, tenants } = tenantsIn(access.server);
    const { organization, project } = tenantsMeant(tenants, flags);
    this.transport = new SocketTransport({ ...access, server }, { userAgent: "milo-quota-cli" });
    this.url = server.href.replace(/\/$/, "");
    const root = new KubeClient(this.transport, rootPlane);
    this.home = organization === undefined ? root : root.inPlane(organizationAddress(organization));
    this.here = project === undefined ? this.home : root.inPlane(projectAddress(project));
    this.namespace = flags.namespace;
    // The namespace of a context is one of its own control plane, and means nothing in another.
    const isOwn = project === undefined || tenants.project === project || tenants.organization === undefined;
    this.defaultNamespace = flags.namespace ?? (isOwn ? access.namespace : "default");
    this.note = surroundings.note;
    this.clock = surroundings.clock;
  }

  /** The control plane in which the claims and buckets of a consumer are. */
  planeOf(consumer: ConsumerRef, beside: KubeClient): KubeClient {
    if (isProject(consumer)) return this.home.inPlane(projectAddress(consumer.name));
    return isOrganization(consumer) ? this.home : beside;
  }

  /** What the command is about, and, where that is home, the planes of all projects. */
  async planes(signal: AbortSignal): Promise<readonly KubeClient[]> {
    if (this.here !== this.home) return [this.here];
    const projects = await this.#projects(signal);
    return [this.home, ...projects.map((name) => this.home.inPlane(projectAddress(name)))];
  }

  /** How the kinds of a control plane are reached. */
  directory(): KindDirectory {
    const clients = new Map([this.home, this.here].map((client) => [client.plane.plane, client]));
    return new KindDirectory((plane) => clients.get(plane) ?? this.home, this.clock);
  }

  close(): Promise<void> {
    return this.transport.close();
  }

  /** None where there are no such tenants: a plain cluster has one control plane. */
  async #projects(signal: AbortSignal): Promise<readonly string[]> {
    try {
      const projects = await listAll(this.home.resource(projectsType, anyObject), {}, signal);
      return projects.map(({ metadata }) => metadata.name ?? "");
    } catch (error) {
      if (error instanceof StatusError && error.status.code === 404) return [];
      throw error;
    }
  }
}

/** A name that people can tell control planes apart by. */
export function planeText({ plane }: KubeClient): string {
  return plane.plane === rootPlane.plane ? "root" : plane.plane.replace(/^project-/, "project ");
}

export function notInstalled(what: string): CommandFailure {
  const advice = "`milo-quota up` brings everything; on a cluster of yours apply the files in deploy/crds first.";
  return new CommandFailure(`the server has no ${what}: quota is not installed there`, exitCodes.missing, advice);
}
