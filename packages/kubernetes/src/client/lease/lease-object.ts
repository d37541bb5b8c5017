import { type Parsed, required } from "../../protocol/field-issue.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "../../protocol/json-value.ts";
import type { KubernetesObject } from "../../protocol/object-meta.ts";
import { formatMicroTime } from "../../protocol/time.ts";
import type { ResourceType } from "../resources/resource-type.ts";

export const leaseType: ResourceType = {
  group: "coordination.k8s.io",
  version: "v1",
  plural: "leases",
  scope: "Namespaced",
};

export interface Lease {
  /** The whole object, to preserve unknown fields. */
  readonly object: JsonObject;
  readonly resourceVersion: string;
  /** Empty when it is not held. */
  readonly holder: string;
  readonly durationMs: number;
  readonly acquireTime: string;
  readonly transitions: number;
}

export function parseLease(value: JsonValue): Parsed<Lease> {
  const metadata = isJsonObject(value) ? ownValue(value, "metadata") : undefined;
  const resourceVersion = isJsonObject(metadata) ? ownValue(metadata, "resourceVersion") : undefined;
  if (!isJsonObject(value) || typeof resourceVersion !== "string") {
    return { ok: false, issues: [required("metadata.resourceVersion")] };
  }
  const found = ownValue(value, "spec");
  const spec = isJsonObject(found) ? found : {};
  return {
    ok: true,
    value: {
      object: value,
      resourceVersion,
      holder: text(spec, "holderIdentity"),
      durationMs: number(spec, "leaseDurationSeconds") * 1_000,
      acquireTime: text(spec, "acquireTime"),
      transitions: number(spec, "leaseTransitions"),
    },
  };
}

/** The values that a holder writes with each renewal. */
export interface LeaseHolder {
  readonly holder: string;
  readonly durationMs: number;
  readonly nowMs: number;
}

export function newLease(namespace: string, name: string, term: LeaseHolder): KubernetesObject {
  const metadata = { namespace, name };
  return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, ...{ spec: specOf(term, undefined) } };
}

/** The lease renewed by its holder, or taken over by the next one. */
export function renewLease(lease: Lease, term: LeaseHolder): KubernetesObject {
  const before = ownValue(lease.object, "spec");
  const spec = { ...(isJsonObject(before) ? before : {}), ...specOf(term, lease) };
  return { ...lease.object, spec } as unknown as KubernetesObject;
}

function specOf({ holder, durationMs, nowMs }: LeaseHolder, lease: Lease | undefined): JsonObject {
  const isSameHolder = lease !== undefined && lease.holder === holder && lease.acquireTime !== "";
  const isHandedOver = lease !== undefined && lease.holder !== holder && holder !== "";
  return {
    holderIdentity: holder,
    leaseDurationSeconds: Math.ceil(durationMs / 1_000),
    acquireTime: isSameHolder ? lease.acquireTime : formatMicroTime(nowMs),
    renewTime: formatMicroTime(nowMs),
    leaseTransitions: (lease?.transitions ?? 0) + (isHandedOver ? 1 : 0),
  };
}

function text(object: JsonObject, field: string): string {
  const value = ownValue(object, field);
  return typeof value === "string" ? value : "";
}

function number(object: JsonObject, field: string): number {
  const value = ownValue(object, field);
  return typeof value === "number" ? value : 0;
}
