import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { ConsumerRef } from "./fields/consumer-ref.ts";
import { type Dimensions, dimensionKey } from "./fields/dimensions.ts";
import { labelText } from "./fields/label-text.ts";
import { referenceManifest } from "./reference-manifest.ts";
import { labels, quotaApiVersion } from "./well-known.ts";

export interface BucketSpec {
  readonly consumer: ConsumerRef;
  readonly resourceType: string;
  readonly dimensions?: Dimensions;
}

export function bucketManifest(
  ref: { readonly namespace: string; readonly name: string },
  { consumer, resourceType, dimensions = {} }: BucketSpec,
  finalizers: readonly string[],
): KubernetesObject {
  const { kind, name } = consumer;
  return {
    apiVersion: quotaApiVersion,
    kind: "AllowanceBucket",
    metadata: {
      ...ref,
      labels: { [labels.consumerKind]: labelText(kind), [labels.consumerName]: labelText(name) },
      ...(finalizers.length === 0 ? {} : { finalizers }),
    },
    spec: {
      consumerRef: referenceManifest(consumer),
      resourceType,
      ...(dimensionKey(dimensions) === "" ? {} : { dimensions }),
    },
  } as KubernetesObject;
}
