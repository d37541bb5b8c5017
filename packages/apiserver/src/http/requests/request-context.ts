import type { ApiRequest } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import type { ScopedView } from "../../registry/kinds/kind-view.ts";
import type { Authentication } from "../access/authenticator.ts";

/** A request whose user and plane are known. */
export interface RequestContext {
  readonly request: ApiRequest;
  readonly plane: string;
  /** Without the prefix of the plane. */
  readonly path: string;
  /** The scoped view that the path names; left out: the whole plane. */
  readonly view?: ScopedView | undefined;
  readonly user: Authentication["user"];
  /** Collects warnings for the response headers. */
  readonly warnings: string[];
  /** Aborted when the client disconnects or the request times out. */
  readonly signal: AbortSignal;
  /** Rejects when the user lacks this verb on the resource of the request, which may itself be for another verb. */
  readonly require: (verb: string) => Promise<void>;
}
