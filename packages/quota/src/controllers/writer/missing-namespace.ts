import type { OpenClaim } from "../../core/ledger/ledger-bucket.ts";
import { consumerText } from "../../core/resources/fields/consumer-ref.ts";
import { awaitAll } from "../await-all.ts";
import { isNamespaceMissing } from "../system-namespace.ts";
import { ClaimStatusWriter } from "./claims/claim-status-writer.ts";
import type { ConsumerState } from "./consumer-state.ts";
import type { WriterDeps } from "./writer-deps.ts";

/**
 * If a recount failed because the namespace of the consumer's buckets does not exist, says so in the status of its open
 * claims. Always rethrows, so that the work queue retries.
 */
export async function reportMissingNamespace(
  error: unknown,
  state: ConsumerState,
  deps: WriterDeps,
  signal: AbortSignal,
): Promise<never> {
  const { consumer } = state.key;
  const namespace = deps.runtime.planes.bucketNamespace(consumer);
  if (isNamespaceMissing(error, namespace)) {
    const message = `the quota of ${consumerText(consumer)} is kept in namespace "${namespace}", which does not exist yet`;
    const statuses = new ClaimStatusWriter(state, deps, signal);
    const markInvalid = ({ claim, parts }: OpenClaim): Promise<void> =>
      statuses.markInvalid(claim.uid, { message, requests: parts.map(() => message) });
    await awaitAll([...state.open].map(({ open }) => markInvalid(open)));
  }
  throw error;
}
