import type { EventContent } from "@milo-quota/kubernetes/client/events/core-event.ts";
import { parseTime } from "@milo-quota/kubernetes/protocol/time.ts";
import { type ConsumerRef, consumerText } from "../../core/resources/fields/consumer-ref.ts";
import type { ResourceClaim } from "../../core/resources/resource-claim.ts";

/** A consumer as its API server has it. `gone`: there is no object of this name. */
export type LiveConsumer =
  | { readonly state: "gone" }
  | { readonly state: "exists"; readonly uid: string; readonly created: string };

/**
 * Whether a claim was decided for a consumer that is gone. A claim that is not older than the consumer of that name was
 * created for that one, even if its status has the UID of the former one, which the cache still had.
 */
export function hasEnded(claim: Pick<ResourceClaim, "metadata" | "status">, consumer: LiveConsumer): boolean {
  const { consumerUID } = claim.status;
  if (consumerUID === undefined || claim.metadata.deletionTimestamp !== undefined) return false;
  if (consumer.state === "gone") return true;
  return consumer.uid !== consumerUID && isOlder(claim.metadata.creationTimestamp, consumer.created);
}

export function claimReleasedEvent(consumer: ConsumerRef, live: LiveConsumer): EventContent {
  const of = consumerText(consumer);
  const message =
    live.state === "gone"
      ? `Deleted because ${of} no longer exists.`
      : `Deleted because it was decided for an earlier ${of}, which was deleted.`;
  return { type: "Normal", reason: "ConsumerDeleted", message };
}

function isOlder(one: string | null | undefined, other: string): boolean {
  const [oneMs, otherMs] = [parseTime(one ?? ""), parseTime(other)];
  return oneMs !== undefined && otherMs !== undefined && oneMs < otherMs;
}
