import { consumerText } from "../../core/resources/fields/consumer-ref.ts";
import { isNamespaceMissing } from "../system-namespace.ts";
import { allOf } from "./all-of.ts";
import { ClaimAnswers } from "./claims/claim-answers.ts";
import type { ConsumerState } from "./consumer-state.ts";
import type { WriterDeps } from "./writer-deps.ts";

/**
 * Claims of a consumer whose namespace is not there cannot be decided: there is no place for a page. They are told so, and
 * looked at again; the failure goes on to whoever tries again.
 */
export async function tellOfMissingPlace(
  error: unknown,
  state: ConsumerState,
  deps: WriterDeps,
  signal: AbortSignal,
): Promise<never> {
  const { consumer } = state.key;
  const namespace = deps.runtime.planes.bucketNamespace(consumer);
  if (isNamespaceMissing(error, namespace)) {
    const message = `the quota of ${consumerText(consumer)} is kept in namespace "${namespace}", which is not there yet`;
    const answers = new ClaimAnswers(state, deps, signal);
    await allOf([...state.open].map(({ open }) => answers.refuse(open.claim.uid, message)));
  }
  throw error;
}
