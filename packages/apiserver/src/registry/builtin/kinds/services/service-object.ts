import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";

export interface ServicePort {
  readonly name?: string;
  readonly protocol?: string;
  readonly port: number;
  readonly targetPort: number | string;
  readonly nodePort?: number;
}

/** The fields of a Service that rules read. */
export interface Service {
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly type: string;
    readonly ports?: readonly ServicePort[];
    readonly selector?: Readonly<Record<string, string>>;
    readonly clusterIP?: string;
    readonly clusterIPs?: readonly string[];
    readonly externalIPs?: readonly string[];
    readonly externalName?: string;
  };
  readonly status: {
    readonly loadBalancer?: {
      readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string; readonly ipMode?: string }[];
    };
  };
}

export function isExternallyAccessible({ type, externalIPs = [] }: Service["spec"]): boolean {
  return type === "LoadBalancer" || type === "NodePort" || (type === "ClusterIP" && externalIPs.length > 0);
}
