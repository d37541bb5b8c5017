import type { AdmissionRequest as RequestOf } from "@milo-quota/kubernetes/protocol/admission-request.ts";
import type {
  Allowed as AllowedWith,
  StorageOutcome,
  Verdict as VerdictOf,
} from "@milo-quota/kubernetes/protocol/admission-verdict.ts";
import type { StoredObject } from "../../storage/stored-object.ts";
import type { ApiObject } from "../kinds/api-object.ts";
import type { ServedKind } from "../kinds/served-kind.ts";
import type { Companions } from "./companion.ts";

export type AdmissionRequest = RequestOf<ServedKind, ApiObject>;

/** The outcome for an object that was stored; the object is parsed only when a plug-in reads it. */
export function storedAs(stored: StoredObject): StorageOutcome {
  return {
    stored: true,
    get object() {
      return stored.object as ApiObject;
    },
  };
}

export type Verdict = VerdictOf<AdmissionTransaction>;
export type Allowed = AllowedWith<AdmissionTransaction>;

/** At most one plug-in of a server has companions. */
export interface AdmissionTransaction {
  readonly companions: Companions;
  /**
   * Another verdict, when the companions cannot be stored although the object could: their ticket was declined, or one
   * of them conflicts with a newer version. `onSettled` is not called then.
   */
  readonly orElse: (why: "declined" | "conflict", signal: AbortSignal) => Promise<Verdict>;
}

/** An admission plug-in: mutates or validates objects before they are stored. */
export interface AdmissionPlugin {
  readonly name: string;
  /** Returns the mutated object; throws a StatusError to reject. Not called for deletes. */
  readonly mutate?: (request: AdmissionRequest, signal: AbortSignal) => Promise<ApiObject>;
  /** Gets the object as it will be stored, including name and UID. */
  readonly validate?: (request: AdmissionRequest, signal: AbortSignal) => Promise<Verdict>;
  /**
   * Companions to change in the transaction that removes an object from the store, for whatever reason. Called in the
   * same turn of the event loop; it cannot reject the removal.
   */
  readonly companionsOfRemoval?: (leaving: StoredObject) => Companions | undefined;
}
