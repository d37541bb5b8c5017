import type { Schema, ValidationRule } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { has } from "../parsing/json-fields.ts";
import { type Amount, amountOf } from "./amount.ts";
import { expressionLengthMax } from "./policy-trigger.ts";

export const amountExpressionSchema = {
  type: "string",
  minLength: 1,
  maxLength: expressionLengthMax,
  description:
    "CEL expression over the trigger that evaluates to the amount, an int in base units. Use it instead of amount.",
} as const satisfies Schema;

export const amountOrExpression: ValidationRule = {
  rule: "has(self.amount) != has(self.amountExpression)",
  message: "set exactly one of amount and amountExpression",
  fieldPath: ".amount",
  holds: (self) => has(self, "amount") !== has(self, "amountExpression"),
};

/** A fixed amount, or an expression for it. */
export type AmountSource =
  | { readonly kind: "fixed"; readonly amount: Amount }
  | { readonly kind: "expression"; readonly expression: string };

export function readAmountSource(value: {
  readonly amount?: number | bigint;
  readonly amountExpression?: string;
}): AmountSource {
  return value.amountExpression === undefined
    ? { kind: "fixed", amount: amountOf(value.amount ?? 0) }
    : { kind: "expression", expression: value.amountExpression };
}
