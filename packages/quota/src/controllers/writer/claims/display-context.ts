import { formatTime } from "@milo-quota/kubernetes/protocol/time.ts";
import type { DisplayContext } from "../../../core/ledger/decision-status.ts";
import type { ConsumerRef } from "../../../core/resources/fields/consumer-ref.ts";
import { displayAmount, type Unit } from "../../../core/resources/fields/units.ts";
import { bucketName } from "../../../core/resources/object-names.ts";
import type { ClaimRequest } from "../../../core/resources/resource-claim.ts";
import { activeRegistration, type RegistrationView } from "../../../core/resources/rules/registration-rules.ts";
import type { ConsumerKey } from "../consumer-state.ts";
import type { WriterDeps } from "../writer-deps.ts";
import type { ShrinkContext, StatusDetails } from "./claim-status.ts";

/** Units and bucket names for the status messages of a consumer's claims. */
export function displayContext(consumer: ConsumerRef, registrations: RegistrationView): DisplayContext {
  return {
    unitOf: (resourceType) => unitOf(registrations, resourceType),
    bucketOf: (resourceType) => bucketName(consumer, resourceType),
  };
}

export function statusDetails(
  { plane, consumer }: ConsumerKey,
  requests: readonly ClaimRequest[],
  { registrations, runtime, consumers }: Pick<WriterDeps, "registrations" | "runtime" | "consumers">,
): StatusDetails {
  const amounts = requests.map(({ resourceType, amount }) =>
    displayAmount(amount, unitOf(registrations, resourceType)),
  );
  const now = formatTime(runtime.clock.now());
  return { now, amounts: amounts.join(", "), consumerUid: consumers.uidOf(plane, consumer) };
}

export function shrinkContext({
  registrations,
  runtime,
}: Pick<WriterDeps, "registrations" | "runtime">): ShrinkContext {
  return { now: formatTime(runtime.clock.now()), unitOf: (resourceType) => unitOf(registrations, resourceType) };
}

/** A reserved claim is granted even if its registration was deleted meanwhile; then the unit is unknown. */
function unitOf(registrations: RegistrationView, resourceType: string): Unit {
  const registration = activeRegistration(registrations, resourceType) ?? registrations.byResourceType(resourceType)[0];
  return registration?.unit ?? { baseUnit: "unit", displayUnit: "unit", factor: 1n };
}
