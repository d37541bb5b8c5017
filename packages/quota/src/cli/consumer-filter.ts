import { InvalidArgumentError } from "commander";
import type { ConsumerRef } from "../core/resources/fields/consumer-ref.ts";

/** Consumers as people name them: `Organization/acme-corp`, with the group where two kinds have the same name. */
export interface ConsumerFilter {
  readonly kind: string;
  readonly apiGroup: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string;
}

/** `Kind[.group]/name`, or `Kind[.group]/namespace/name`. */
export function readKindAndName(text: string): ConsumerFilter {
  const match = /^([A-Za-z][A-Za-z0-9]*)(?:\.([a-z0-9.-]+))?\/(?:([a-z0-9-]+)\/)?([^/]+)$/.exec(text);
  if (match === null) {
    throw new InvalidArgumentError(
      "write Kind/name, such as Organization/acme-corp; with a group Kind.group/name, with a namespace Kind/namespace/name",
    );
  }
  const [, kind = "", apiGroup, namespace, name = ""] = match;
  return { kind, apiGroup, namespace, name };
}

export function isMeant(filter: ConsumerFilter | undefined, { kind, apiGroup, namespace, name }: ConsumerRef): boolean {
  if (filter === undefined) return true;
  return (
    filter.kind.toLowerCase() === kind.toLowerCase() &&
    filter.name === name &&
    (filter.apiGroup === undefined || filter.apiGroup === apiGroup) &&
    (filter.namespace === undefined || filter.namespace === namespace)
  );
}

/** Whether a resource type is the one that is meant; its last part is enough. */
export function isType(wanted: string | undefined, resourceType: string): boolean {
  return wanted === undefined || wanted === resourceType || resourceType.endsWith(`/${wanted}`);
}

export function shortConsumer({ kind, namespace, name }: ConsumerRef): string {
  return namespace === "" ? `${kind}/${name}` : `${kind}/${namespace}/${name}`;
}
