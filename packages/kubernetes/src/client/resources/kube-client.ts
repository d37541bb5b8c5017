import type { Transport } from "../transport/transport.ts";
import type { Parser } from "./read-reply.ts";
import { ResourceClient } from "./resource-client.ts";
import type { PlaneAddress, ResourceType } from "./resource-type.ts";

/** The root plane of a server; the only one in plain Kubernetes. */
export const rootPlane: PlaneAddress = { plane: "root", prefix: "" };

/** A client for one control plane of a server. */
export class KubeClient {
  readonly transport: Transport;
  readonly plane: PlaneAddress;

  constructor(transport: Transport, plane: PlaneAddress = rootPlane) {
    this.transport = transport;
    this.plane = plane;
  }

  /** A client for another control plane of the same server. */
  inPlane(plane: PlaneAddress): KubeClient {
    return new KubeClient(this.transport, plane);
  }

  resource<Kind>(type: ResourceType, parse: Parser<Kind>): ResourceClient<Kind> {
    return new ResourceClient(this.transport, this.plane, type, parse);
  }
}
