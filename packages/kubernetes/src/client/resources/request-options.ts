import type { Call } from "../transport/transport.ts";

export interface WriteOptions {
  /** Everything but the storing. */
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  /** What the server does with fields it does not know; it warns when left out. */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
  /** For patches: the part of the object that has a door of its own. */
  readonly subresource?: "status" | "scale";
}

/** Of nearly all requests. Nobody adds to it. */
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

/** Lists come in pages: nobody holds a hundred thousand objects in one text. */
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
  /** Only this very object, and not another that has its name by now. */
  readonly uid?: string;
  /** Only if nobody has changed it since. */
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
