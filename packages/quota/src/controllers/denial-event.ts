import type { Happening } from "@milo-quota/kubernetes/client/events/core-event.ts";
import { groupKindText } from "../core/resources/fields/consumer-ref.ts";
import { labelText } from "../core/resources/fields/label-text.ts";
import { annotations, labels } from "../core/resources/well-known.ts";
import type { DecidedClaim } from "./writer/writer-deps.ts";

/** What is told of a denial: also whom and which object it was for, because its claim may be gone in a moment. */
export function denialEvent({ message, claim }: DecidedClaim): Happening {
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
