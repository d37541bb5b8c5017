import type { JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";

export const operators = ["==", "!=", "<=", ">=", "<", ">"] as const;
export type Operator = (typeof operators)[number];

/**
 * Compares as Go templates do: strings with strings, numbers with numbers. Undefined for values that cannot be
 * compared.
 */
export function compareValues(left: JsonValue, operator: Operator, right: JsonValue): boolean | undefined {
  const [first, second] = [kindOf(left), kindOf(right)];
  if (first === undefined || first !== second) return undefined;
  // Two integers or two floats; an integer and a float cannot be compared.
  if (first === "number" && Number.isInteger(Number(left)) !== Number.isInteger(Number(right))) return undefined;
  if (operator === "==") return equal(left, right);
  if (operator === "!=") return !equal(left, right);
  if (first === "boolean") return undefined;
  return ordered(left as string | number | bigint, operator, right as string | number | bigint);
}

function ordered(left: string | number | bigint, operator: Operator, right: string | number | bigint): boolean {
  switch (operator) {
    case "<":
      return left < right;
    case "<=":
      return left < right || equal(left, right);
    case ">":
      return left > right;
    default:
      return left > right || equal(left, right);
  }
}

function equal(left: JsonValue, right: JsonValue): boolean {
  return left === right || (kindOf(left) === "number" && String(left) === String(right));
}

function kindOf(value: JsonValue): "string" | "number" | "boolean" | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "number":
      return typeof value as "string" | "boolean" | "number";
    case "bigint":
      return "number";
    default:
      return undefined;
  }
}
