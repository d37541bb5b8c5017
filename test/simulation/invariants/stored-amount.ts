import type { JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { textAt } from "./json-fields.ts";

/** An amount of a resource type with dimensions. */
export interface StoredAmount {
  readonly resourceType: string;
  readonly dimensions: Readonly<Record<string, string>>;
  /** Canonical string of the dimensions. */
  readonly dimensionKey: string;
  readonly amount: bigint;
}

export function keyOfDimensions(dimensions: Readonly<Record<string, string>>): string {
  return Object.keys(dimensions)
    .sort()
    .map((name) => `${name}=${dimensions[name]}`)
    .join(",");
}

/** Canonical string of a consumer reference. */
export function consumerIn(reference: JsonValue | undefined): string {
  return ["apiGroup", "kind", "namespace", "name"].map((field) => textAt(reference, field)).join("/");
}

export function amountOf(parts: readonly { readonly amount: bigint }[]): bigint {
  return parts.reduce((total, { amount }) => total + amount, 0n);
}

/** Identifies the ledger bucket of a consumer's resource type. */
export function bucketId(plane: string, consumer: string, resourceType: string): string {
  return `${plane} ${consumer} ${resourceType}`;
}
