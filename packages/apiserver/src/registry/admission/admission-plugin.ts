import type { AdmissionRequest as RequestOf } from "@milo-quota/kubernetes/protocol/admission-request.ts";
import type {
  Allowed as AllowedWith,
  Outcome,
  Verdict as VerdictOf,
} from "@milo-quota/kubernetes/protocol/admission-verdict.ts";
import type { StoredObject } from "../../storage/stored-object.ts";
import type { ApiObject } from "../kinds/api-object.ts";
import type { ServedKind } from "../kinds/served-kind.ts";
import type { Companions } from "./companion.ts";

export type AdmissionRequest = RequestOf<ServedKind, ApiObject>;

/** The outcome for an object that was stored; the object is parsed only when a plug-in reads it. */
export function storedAs(stored: StoredObject): Outcome {
  return {
    stored: true,
    get object() {
      return stored.object as ApiObject;
    },
  };
}

export type Verdict = VerdictOf<WithCompanions>;
export type Allowed = AllowedWith<WithCompanions>;

/** At most one plug-in of a server has companions. */
export interface WithCompanions {
  readonly companions: Companions;
  /**
   * Another verdict, when the companions cannot be stored although nothing is wrong with the object: their ticket was
   * declined, or one of them conflicts with what is stored by now. `settled` is not called then.
   */
  readonly orElse: (why: "declined" | "conflict", signal: AbortSignal) => Promise<Verdict>;
}

/** An admission plug-in: mutates or validates objects before they are stored. */
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
