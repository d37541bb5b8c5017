import type { X509Certificate } from "node:crypto";
import type { RequestHeaders } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";

/** The parts of a request that authentication looks at. */
export interface RequestCredentials {
  /** Without the query, and without the prefix of a control plane. */
  readonly path: string;
  readonly headers: RequestHeaders;
  /** The certificate presented in the TLS handshake, verified or not. */
  readonly clientCertificate?: X509Certificate | undefined;
}

export interface Authentication {
  readonly user: UserInfo;
  /** For the client, as Warning headers. */
  readonly warnings: readonly string[];
}

export interface Authenticator {
  /** Rejects with a StatusError: Unauthorized. */
  authenticate(request: RequestCredentials, signal: AbortSignal): Promise<Authentication>;
}

/** The first value, as Go's `Header.Get` reads it. */
export function firstHeader(headers: RequestHeaders, name: string): string {
  return (Object.hasOwn(headers, name) ? headers[name]?.[0] : undefined) ?? "";
}
