import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";

/** An Event as it is stored: with the fields of the core group. */
export interface CoreEvent {
  readonly metadata: ObjectMeta;
  readonly involvedObject: {
    readonly kind?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly fieldPath?: string;
  };
  readonly reason?: string;
  readonly message?: string;
  readonly source: { readonly component?: string; readonly host?: string };
  readonly firstTimestamp: string | null;
  readonly lastTimestamp: string | null;
  readonly eventTime: string | null;
  readonly count?: number;
  readonly type?: string;
  readonly action?: string;
  readonly related?: JsonObject;
  readonly series?: { readonly count?: number; readonly lastObservedTime: string | null };
  readonly reportingComponent: string;
  readonly reportingInstance: string;
}
