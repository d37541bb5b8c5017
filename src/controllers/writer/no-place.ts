import { consumerText } from "../../core/resources/consumer-ref.ts";
import { isNamespaceMissing } from "../system-namespace.ts";
import { allOf } from "./all-of.ts";
import type { Desk } from "./desk.ts";
import { DeskAnswers } from "./desk-answers.ts";
import type { DeskPorts } from "./ports.ts";

/**
 * Claims of a consumer whose namespace is not there cannot be decided: there is no place for a page. They are told so, and
 * looked at again; the failure goes on to whoever tries again.
 */
export async function tellOfMissingPlace(
  error: unknown,
  desk: Desk,
  ports: DeskPorts,
  signal: AbortSignal,
): Promise<never> {
  const { consumer } = desk.key;
  const namespace = ports.runtime.planes.bucketNamespace(consumer);
  if (isNamespaceMissing(error, namespace)) {
    const message = `the quota of ${consumerText(consumer)} is kept in namespace "${namespace}", which is not there yet`;
    const answers = new DeskAnswers(desk, ports, signal);
    await allOf([...desk.open].map(({ open }) => answers.refuse(open.claim.uid, message)));
  }
  throw error;
}
