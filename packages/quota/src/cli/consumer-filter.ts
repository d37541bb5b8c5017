import { InvalidArgumentError } from "commander";
import type { ConsumerRef } from "../core/resources/fields/consumer-ref.ts";

/** A consumer or object as given on the command line: `Organization/acme-corp`, with a group where the kind is ambiguous. */
export interface ConsumerFilter {
  readonly kind: string;
  readonly apiGroup: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string;
}

/** `Kind[.group]/name`, or `Kind[.group]/namespace/name`. */
export function parseKindAndName(text: string): ConsumerFilter {
  const match = /^([A-Za-z][A-Za-z0-9]*)(?:\.([a-z0-9.-]+))?\/(?:([a-z0-9-]+)\/)?([^/]+)$/.exec(text);
  if (match === null) {
    throw new InvalidArgumentError(
      "must be Kind/name, such as Organization/acme-corp, or Kind.group/name, or Kind/namespace/name",
    );
  }
  const [, kind = "", apiGroup, namespace, name = ""] = match;
  return { kind, apiGroup, namespace, name };
}

/** The filter as it was given on the command line. */
export function filterText({ kind, apiGroup, namespace, name }: ConsumerFilter): string {
  return [
    apiGroup === undefined ? kind : `${kind}.${apiGroup}`,
    ...(namespace === undefined ? [] : [namespace]),
    name,
  ].join("/");
}

export function matchesConsumer(
  filter: ConsumerFilter | undefined,
  { kind, apiGroup, namespace, name }: ConsumerRef,
): boolean {
  if (filter === undefined) return true;
  return (
    filter.kind.toLowerCase() === kind.toLowerCase() &&
    filter.name === name &&
    (filter.apiGroup === undefined || filter.apiGroup === apiGroup) &&
    (filter.namespace === undefined || filter.namespace === namespace)
  );
}

/** A filter may be the whole resource type or its last path segment. */
export function matchesResourceType(wanted: string | undefined, resourceType: string): boolean {
  return wanted === undefined || wanted === resourceType || resourceType.endsWith(`/${wanted}`);
}

/** `Kind/name`, or `Kind/namespace/name`. */
export function kindAndName({ kind, namespace, name }: ConsumerRef): string {
  return namespace === "" ? `${kind}/${name}` : `${kind}/${namespace}/${name}`;
}
