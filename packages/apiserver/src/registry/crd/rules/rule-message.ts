import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import type { CompiledRule } from "./compiled-rules.ts";

const messageBytesMax = 5 * 1024;
const messageBudget = 1_000_000;

/** The result of a messageExpression; undefined if it is unusable. */
export type RuleMessage =
  | { readonly outcome: "evaluated"; readonly text: string | undefined; readonly cost: number }
  /** The budget is exhausted. */
  | { readonly outcome: "spent"; readonly fault: string };

const outOfBudget =
  "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run";

export function failedMessage(
  { messageProgram }: CompiledRule,
  bindings: Readonly<Record<string, unknown>>,
  budget: number,
): RuleMessage {
  if (messageProgram === undefined) return { outcome: "evaluated", text: undefined, cost: 0 };
  const result = messageProgram.evaluate(bindings, { costLimit: messageBudget });
  if (result.cost > budget) return { outcome: "spent", fault: outOfBudget };
  if (!result.ok && result.error.kind === "cost-exceeded") {
    const fault = "no further validation rules will be run due to call cost exceeds limit for messageExpression";
    return { outcome: "spent", fault: `${fault}: ${quote(messageProgram.source)}` };
  }
  const text = result.ok && typeof result.value === "string" ? result.value.trim() : "";
  return { outcome: "evaluated", text: isUseful(text) ? text : undefined, cost: result.cost };
}

/** Single-line, and not too long. */
function isUseful(text: string): boolean {
  return text !== "" && !text.includes("\n") && Buffer.byteLength(text) <= messageBytesMax;
}
