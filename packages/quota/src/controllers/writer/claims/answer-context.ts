import { timeText } from "@milo-quota/kubernetes/protocol/time.ts";
import type { AnswerContext } from "../../../core/ledger/answer.ts";
import type { ConsumerRef } from "../../../core/resources/fields/consumer-ref.ts";
import { displayAmount, type Unit } from "../../../core/resources/fields/units.ts";
import { bucketName } from "../../../core/resources/object-names.ts";
import type { ClaimRequest } from "../../../core/resources/resource-claim.ts";
import { activeRegistration, type RegistrationView } from "../../../core/resources/rules/registration-rules.ts";
import type { WriterDeps } from "../writer-deps.ts";
import type { StatusFrame } from "./claim-status.ts";

/** What the answer to a claim of a consumer needs to know, to be read by people. */
export function answerContext(consumer: ConsumerRef, registrations: RegistrationView): AnswerContext {
  return {
    unitOf: (resourceType) => unitOf(registrations, resourceType),
    bucketOf: (resourceType) => bucketName(consumer, resourceType),
  };
}

export function statusFrame(
  requests: readonly ClaimRequest[],
  { registrations, runtime }: Pick<WriterDeps, "registrations" | "runtime">,
): StatusFrame {
  const amounts = requests.map(({ resourceType, amount }) =>
    displayAmount(amount, unitOf(registrations, resourceType)),
  );
  return { now: timeText(runtime.clock.now()), amounts: amounts.join(", ") };
}

/** What was promised is granted even if its registration is gone by now; then nobody knows the unit. */
function unitOf(registrations: RegistrationView, resourceType: string): Unit {
  const registration = activeRegistration(registrations, resourceType) ?? registrations.byResourceType(resourceType)[0];
  return registration?.unit ?? { baseUnit: "unit", displayUnit: "unit", factor: 1n };
}
