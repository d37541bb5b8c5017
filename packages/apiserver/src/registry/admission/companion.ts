import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { StoredObject } from "../../storage/stored-object.ts";
import type { Ticket } from "../../storage/transaction.ts";
import type { ApiObject } from "../kinds/api-object.ts";
import type { ServedKind } from "../kinds/served-kind.ts";

/** What a plug-in wants stored in one transaction with an object: all of it, or nothing and not the object either. */
export interface Companions {
  readonly objects: readonly Companion[];
  /** Has the plug-in add what all transactions of a batch change together. */
  readonly ticket: Ticket;
  /** Whether these make room: then they come after the object, and before what is rendered for the batch. */
  readonly isRelease: boolean;
}

/** A change of another object. Schema and managed fields are looked after; plug-ins and webhooks are not asked about it. */
export type Companion =
  /** The object names its UID, and may have a status from the beginning. */
  | { readonly change: "create"; readonly plane: string; readonly kind: ServedKind; readonly object: ApiObject }
  | {
      readonly change: "status";
      readonly kind: ServedKind;
      readonly stored: StoredObject;
      readonly status: JsonObject;
    }
  /** Lets go of a finalizer, and of the object, unless another finalizer keeps it. */
  | { readonly change: "delete"; readonly kind: ServedKind; readonly stored: StoredObject; readonly finalizer: string };
