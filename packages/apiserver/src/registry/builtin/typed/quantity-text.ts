import { Failure } from "@milo-quota/kubernetes/cel/values/failure.ts";
import { formatQuantity, parseQuantity, type Quantity } from "@milo-quota/kubernetes/cel/values/numbers/quantity.ts";
import type { JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";

/** A quantity from JSON, where numbers are allowed too. Undefined when it is invalid. */
export function readQuantity(value: JsonValue | undefined): Quantity | undefined {
  const parsed = parsedOf(value ?? "");
  return parsed instanceof Failure ? undefined : parsed;
}

/** Why a value is not a quantity, in the words of Kubernetes. */
export function quantityProblem(value: JsonValue): string | undefined {
  const parsed = parsedOf(value);
  return parsed instanceof Failure ? parsed.message : undefined;
}

/** The canonical form of a quantity: `0.5` is `500m`. */
export function canonicalQuantity(value: JsonValue): JsonValue {
  const parsed = parsedOf(value);
  return parsed instanceof Failure ? value : formatQuantity(parsed);
}

function parsedOf(value: JsonValue): Quantity | Failure {
  return parseQuantity((typeof value === "string" ? value : writeJson(value)).trim());
}
