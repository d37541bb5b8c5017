import type { JsonObject } from "./json-value.ts";
import type { UserInfo } from "./user-info.ts";

/** A kind of objects, and how its URL names it. */
export interface AdmittedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** In lower case, such as `configmaps`. */
  readonly plural: string;
  readonly scope: "Namespaced" | "Cluster";
}

export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** A change that is about to happen, as admission sees it. */
export interface AdmissionRequest<Kind = AdmittedKind, Admitted = JsonObject> {
  readonly operation: Operation;
  readonly plane: string;
  readonly kind: Kind;
  /** Empty for objects of cluster scope, a Namespace included. */
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  readonly userInfo: UserInfo;
  readonly dryRun: boolean;
  /** Absent on a delete. */
  readonly object?: Admitted | undefined;
  /** Absent on a create. */
  readonly oldObject?: Admitted | undefined;
  /** The options of the request, as an object of kind CreateOptions and so on. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly warn: (text: string) => void;
}
