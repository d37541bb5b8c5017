import type { JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { textAt } from "./json-fields.ts";

/** So much of a resource type, with these dimensions. */
export interface TruePart {
  readonly resourceType: string;
  readonly dimensions: Readonly<Record<string, string>>;
  /** The dimensions as one text, the same for the same ones. */
  readonly dimensionKey: string;
  readonly amount: bigint;
}

export function keyOfDimensions(dimensions: Readonly<Record<string, string>>): string {
  return Object.keys(dimensions)
    .sort()
    .map((name) => `${name}=${dimensions[name]}`)
    .join(",");
}

/** Who uses quota, as one text. */
export function consumerIn(reference: JsonValue | undefined): string {
  return ["apiGroup", "kind", "namespace", "name"].map((field) => textAt(reference, field)).join("/");
}

export function amountOf(parts: readonly { readonly amount: bigint }[]): bigint {
  return parts.reduce((total, { amount }) => total + amount, 0n);
}

/** Names the one page of a consumer's resource type. */
export function pageId(plane: string, consumer: string, resourceType: string): string {
  return `${plane} ${consumer} ${resourceType}`;
}
