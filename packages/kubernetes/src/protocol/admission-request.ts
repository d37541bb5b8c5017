import type { JsonObject } from "./json-value.ts";
import type { UserInfo } from "./user-info.ts";

export interface AdmittedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** In lower case, such as `configmaps`. */
  readonly plural: string;
  readonly scope: "Namespaced" | "Cluster";
}

export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** A change under admission. */
export interface AdmissionRequest<Kind = AdmittedKind, Admitted = JsonObject> {
  readonly operation: Operation;
  readonly plane: string;
  readonly kind: Kind;
  /** Empty for cluster-scoped objects, including a Namespace. */
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  readonly userInfo: UserInfo;
  readonly dryRun: boolean;
  /** Absent for a delete. */
  readonly object?: Admitted | undefined;
  /** Absent for a create. */
  readonly oldObject?: Admitted | undefined;
  /** An object of kind CreateOptions and so on. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly warn: (text: string) => void;
}
