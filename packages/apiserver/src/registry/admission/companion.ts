import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { StoredObject } from "../../storage/stored-object.ts";
import type { Ticket } from "../../storage/transaction.ts";
import type { ApiObject } from "../kinds/api-object.ts";
import type { ServedKind } from "../kinds/served-kind.ts";

/** Objects that a plug-in wants stored in the same transaction as the admitted object: all or none. */
export interface Companions {
  readonly objects: readonly Companion[];
  /** Takes part in the batch, so that the plug-in can render what all transactions of the batch change. */
  readonly ticket: Ticket;
  /** Whether these release quota: then they come after the object, and before what is rendered for the batch. */
  readonly isRelease: boolean;
}

/** A change of another object. Validated and given managed fields, but not passed to admission. */
export type Companion =
  /** The object has a UID, and may have an initial status. */
  | { readonly change: "create"; readonly plane: string; readonly kind: ServedKind; readonly object: ApiObject }
  | {
      readonly change: "status";
      readonly kind: ServedKind;
      readonly stored: StoredObject;
      readonly status: JsonObject;
    }
  /** Removes a finalizer, and deletes the object unless it has others. */
  | { readonly change: "delete"; readonly kind: ServedKind; readonly stored: StoredObject; readonly finalizer: string };
