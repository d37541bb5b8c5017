import type { ApiRequest } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import type { ScopedView } from "../../registry/kinds/kind-view.ts";
import type { Authentication } from "../access/authenticator.ts";

/** A request that is known to come from somebody and to go to a plane. */
export interface RequestContext {
  readonly request: ApiRequest;
  readonly plane: string;
  /** Without the prefix of the plane. */
  readonly path: string;
  /** The part of the plane that can be seen by the path of the request; left out: all of it. */
  readonly view?: ScopedView | undefined;
  readonly user: Authentication["user"];
  /** Collects what the client is told besides the answer. */
  readonly warnings: string[];
  /** Ends with the client, or when the time for this request is up. */
  readonly signal: AbortSignal;
  /** Rejects when the user may not do this with what the request is about, whatever the request itself does. */
  readonly require: (verb: string) => Promise<void>;
}
