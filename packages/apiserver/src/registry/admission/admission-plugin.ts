import type { ApiStatus } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";
import type { StoredObject } from "../../storage/stored-object.ts";
import type { ApiObject } from "../kinds/api-object.ts";
import type { ServedKind } from "../kinds/served-kind.ts";
import type { Companions } from "./companion.ts";

export type Operation = "CREATE" | "UPDATE" | "DELETE";

/** A change that is about to happen, as those see it who have a say in it. */
export interface AdmissionRequest {
  readonly operation: Operation;
  readonly plane: string;
  readonly kind: ServedKind;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** Absent on a delete. */
  readonly object?: ApiObject | undefined;
  /** Absent on a create. */
  readonly oldObject?: ApiObject | undefined;
  /** The options of the request, as an object of kind CreateOptions and so on. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly warn: (text: string) => void;
}

/** What became of an object that was admitted. */
export type Outcome = { readonly stored: true; readonly object: ApiObject } | { readonly stored: false };

/** Of an object that was stored; it is parsed when somebody looks at it. */
export function storedAs(stored: StoredObject): Outcome {
  return {
    stored: true,
    get object() {
      return stored.object as ApiObject;
    },
  };
}

export type Verdict = Allowed | { readonly allowed: false; readonly status: ApiStatus };

export interface Allowed {
  readonly allowed: true;
  /** Called once, when it is known what became of the object. */
  readonly settled?: (outcome: Outcome) => void;
  /** Stored together with the object. At most one plug-in of a server has any. */
  readonly companions?: CompanionsOrElse | undefined;
}

export interface CompanionsOrElse extends Companions {
  /**
   * Another verdict, when the companions cannot be stored although nothing is wrong with the object: their ticket was
   * declined, or one of them conflicts with what is stored by now. `settled` is not called then.
   */
  readonly orElse: (why: "declined" | "conflict", signal: AbortSignal) => Promise<Verdict>;
}

/** Somebody with a say in changes: changes objects on their way in, or refuses them. */
export interface AdmissionPlugin {
  readonly name: string;
  /** Returns the object as it shall be; throws a StatusError to refuse. Not called for deletes. */
  readonly mutate?: (request: AdmissionRequest, signal: AbortSignal) => Promise<ApiObject>;
  /** Sees the object as it will be stored, its name and UID included. */
  readonly validate?: (request: AdmissionRequest, signal: AbortSignal) => Promise<Verdict>;
  /**
   * What goes together with an object that leaves the store, in whatever way. Called in the turn of the event loop in
   * which it does; nothing can be refused any more.
   */
  readonly removing?: (leaving: StoredObject) => Companions | undefined;
}
