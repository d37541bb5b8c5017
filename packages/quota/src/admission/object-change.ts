import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import type { ApiStatus } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { RequestUser } from "../core/policy/policy-variables.ts";

/** An object that is about to be stored, as it will be: its name and UID included. */
export interface ObjectChange {
  readonly operation: "CREATE" | "UPDATE";
  readonly plane: string;
  readonly type: ResourceType;
  readonly kind: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly user: RequestUser;
  readonly dryRun: boolean;
  readonly object: JsonObject;
  /** Absent on a create. */
  readonly oldObject: JsonObject | undefined;
  readonly warn: (text: string) => void;
  /** How long whoever asks will wait for the answer, where that is known and less than usual. */
  readonly waitMsMax?: number;
}

/** An object that is about to be deleted, as it is. */
export interface ObjectRemoval extends Pick<ObjectChange, "plane" | "type" | "kind" | "namespace" | "name" | "user"> {
  readonly oldObject: JsonObject;
  readonly warn: (text: string) => void;
}

/** What becomes of a change. Whoever is allowed one has to tell whether it was stored, where anybody can know. */
export type Verdict =
  | {
      readonly allowed: true;
      /** Told the version that was stored; undefined when none was. */
      readonly settled?: (version: string | undefined) => void;
      readonly together?: {
        /** What is to be stored in one transaction with the object, where the server is in this process. */
        readonly companions: Companions;
        /** Another verdict, when that cannot be stored although nothing is wrong with the object. */
        readonly orElse: (why: "declined" | "conflict", signal: AbortSignal) => Promise<Verdict>;
      };
    }
  | { readonly allowed: false; readonly status: ApiStatus };

/** Has a say in changes. */
export type Decide = (change: ObjectChange, signal: AbortSignal) => Promise<Verdict>;

/** Has a say in deletions. */
export type DecideRemoval = (removal: ObjectRemoval, signal: AbortSignal) => Promise<Verdict>;

export const allowed: Verdict = { allowed: true };

/** What is stored in one transaction with an object. The server that gave it knows what it is. */
export type Companions = object;
