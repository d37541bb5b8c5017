import type { EventContent } from "@milo-quota/kubernetes/client/events/core-event.ts";
import { groupKindText } from "../core/resources/fields/consumer-ref.ts";
import { labelText } from "../core/resources/fields/label-text.ts";
import { annotations, labels } from "../core/resources/well-known.ts";
import type { DecidedClaim } from "./writer/writer-deps.ts";

/** Names the consumer and the object as well, because the denied claim is deleted soon. */
export function denialEvent({ message, claim }: DecidedClaim): EventContent {
  const { consumer, resource, metadata } = claim;
  const plane = metadata.annotations?.[annotations.resourcePlane];
  const object =
    resource === undefined
      ? {}
      : {
          [annotations.resourceKind]: groupKindText(resource),
          ...(resource.namespace === "" ? {} : { [annotations.resourceNamespace]: resource.namespace }),
          [annotations.resourceName]: resource.name,
          ...(plane === undefined ? {} : { [annotations.resourcePlane]: plane }),
        };
  return {
    type: "Warning",
    reason: "QuotaExceeded",
    message,
    labels: { [labels.consumerKind]: labelText(consumer.kind), [labels.consumerName]: labelText(consumer.name) },
    annotations: object,
  };
}
