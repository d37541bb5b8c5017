import type { Call } from "../transport/transport.ts";

export interface WriteOptions {
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  /** How the server treats unknown fields; it warns when left out. */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
  /** The subresource to patch. */
  readonly subresource?: "status" | "scale";
}

/** Shared by nearly all requests; never modified. */
export const noQuery = new URLSearchParams();

export function writeQuery({ dryRun, fieldManager, fieldValidation }: WriteOptions): URLSearchParams {
  if (dryRun !== true && fieldManager === undefined && fieldValidation === undefined) return noQuery;
  return queryOf({
    dryRun: dryRun === true ? "All" : undefined,
    fieldManager,
    fieldValidation,
  });
}

export interface ListOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan";
  readonly reach?: Call["reach"];
}

/** Lists are paged, so that no response holds a hundred thousand objects. */
export const pageSize = 500;

export function listQuery(options: ListOptions): URLSearchParams {
  return queryOf({
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    limit: String(options.limit ?? pageSize),
    continue: options.continue,
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: options.resourceVersionMatch,
  });
}

export interface DeleteOptions {
  /** Precondition: the object's UID. */
  readonly uid?: string;
  /** Precondition: the object's version. */
  readonly resourceVersion?: string;
  readonly propagation?: "Foreground" | "Background" | "Orphan";
  readonly gracePeriodSeconds?: number;
  readonly dryRun?: boolean;
}

export function deleteBody({ uid, resourceVersion, propagation, gracePeriodSeconds, dryRun }: DeleteOptions): object {
  const preconditions = {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  return {
    kind: "DeleteOptions",
    apiVersion: "v1",
    ...(uid === undefined && resourceVersion === undefined ? {} : { preconditions }),
    ...(propagation === undefined ? {} : { propagationPolicy: propagation }),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(dryRun === true ? { dryRun: ["All"] } : {}),
  };
}

export function queryOf(parameters: Readonly<Record<string, string | undefined>>): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, value);
  return query;
}
