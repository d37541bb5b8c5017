import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { LabelSelector } from "@milo-quota/kubernetes/protocol/selectors/label-selector.ts";
import type { ResourceList } from "../../resource-names.ts";

export interface ContainerPort {
  readonly name?: string;
  readonly containerPort: number;
  readonly protocol?: string;
}

export interface VolumeMount {
  readonly name: string;
  readonly mountPath: string;
}

/** The fields of a container that rules and columns read. */
export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly imagePullPolicy?: string;
  readonly ports?: readonly ContainerPort[];
  readonly resources?: { readonly limits?: ResourceList; readonly requests?: ResourceList };
  readonly volumeMounts?: readonly VolumeMount[];
  readonly restartPolicy?: string;
}

export interface PodSpec {
  readonly containers: readonly Container[] | null;
  readonly initContainers?: readonly Container[];
  readonly volumes?: readonly { readonly name: string }[];
  readonly restartPolicy?: string;
  readonly activeDeadlineSeconds?: number;
  readonly nodeName?: string;
  readonly hostNetwork?: boolean;
  readonly tolerations?: readonly object[];
  readonly schedulingGates?: readonly object[];
  readonly readinessGates?: readonly { readonly conditionType: string }[];
  readonly priority?: number;
  readonly preemptionPolicy?: string;
}

export interface PodTemplate {
  readonly metadata?: ObjectMeta;
  readonly spec: PodSpec;
}

interface Terminated {
  readonly exitCode: number;
  readonly signal?: number;
  readonly reason?: string;
  readonly finishedAt?: string | null;
}

export interface ContainerStatus {
  readonly name: string;
  readonly ready?: boolean;
  readonly started?: boolean;
  readonly restartCount: number;
  readonly state?: {
    readonly waiting?: { readonly reason?: string };
    readonly running?: object;
    readonly terminated?: Terminated;
  };
  readonly lastState?: { readonly terminated?: Terminated };
}

export interface Pod {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
  readonly status: {
    readonly phase?: string;
    readonly reason?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
    readonly podIP?: string;
    readonly podIPs?: readonly { readonly ip: string }[];
    readonly nominatedNodeName?: string;
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
  };
}

export interface Deployment {
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly replicas?: number;
    readonly selector: LabelSelector | null;
    readonly template: PodTemplate;
    readonly strategy: { readonly type?: string };
    readonly minReadySeconds?: number;
    readonly revisionHistoryLimit?: number;
  };
  readonly status: {
    readonly updatedReplicas?: number;
    readonly readyReplicas?: number;
    readonly availableReplicas?: number;
  };
}
