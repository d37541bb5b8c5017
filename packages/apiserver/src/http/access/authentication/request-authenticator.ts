import type { X509Certificate } from "node:crypto";
import { failure, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import type { Authentication, Authenticator, RequestCredentials } from "../authenticator.ts";
import { anonymousUser, withAuthenticatedGroup } from "../well-known-users.ts";
import { bearerTokenOf } from "./bearer-token.ts";
import { ClientCertificates } from "./client-certificate.ts";
import { type TokenAuthenticator, unionTokenAuthenticator } from "./token-authenticator.ts";

export interface AuthenticationOptions {
  readonly tokens: readonly TokenAuthenticator[];
  /** Issuers of client certificates; if empty, client certificates are ignored. */
  readonly authorities: readonly X509Certificate[];
  readonly clock: Clock;
  /** Audiences that this server accepts in tokens. */
  readonly audiences?: readonly string[];
}

/** Paths, with those below them, that unauthenticated requests may use; all others are answered with 401. */
const anonymousPaths = ["/healthz", "/livez", "/readyz", "/version"];

/** A client certificate takes precedence over a token. Invalid credentials are rejected, not treated as anonymous. */
export function requestAuthenticator(options: AuthenticationOptions): Authenticator {
  const certificates = new ClientCertificates(options.authorities);
  const tokens = unionTokenAuthenticator(options.tokens);
  return {
    async authenticate(request, signal) {
      const verdict = certificateVerdict(request, certificates, options);
      if (verdict?.outcome === "user") return authenticated(verdict.user);
      const bearer = bearerTokenOf(request.headers);
      if (bearer.shown === "token") {
        const identity = await tokens.authenticateToken(bearer.token, signal);
        if (identity === undefined || !isForUs(identity.audiences, options.audiences)) throw unauthorized();
        return authenticated(identity.user);
      }
      if (verdict?.outcome === "refused" || !allowsAnonymous(request.path)) throw unauthorized();
      return { user: anonymousUser, warnings: bearer.warning === undefined ? [] : [bearer.warning] };
    },
  };
}

function certificateVerdict(
  { clientCertificate }: RequestCredentials,
  certificates: ClientCertificates,
  { authorities, clock }: AuthenticationOptions,
) {
  if (clientCertificate === undefined || authorities.length === 0) return undefined;
  return certificates.verdictOn(clientCertificate, clock.now());
}

function authenticated(user: Authentication["user"]): Authentication {
  return { user: withAuthenticatedGroup(user), warnings: [] };
}

function isForUs(audiences: readonly string[] | undefined, own: readonly string[] | undefined): boolean {
  return audiences === undefined || audiences.some((audience) => own?.includes(audience) === true);
}

function allowsAnonymous(path: string): boolean {
  return anonymousPaths.some((allowed) => path === allowed || path.startsWith(`${allowed}/`));
}

function unauthorized(): StatusError {
  return new StatusError(failure("Unauthorized", "Unauthorized"));
}
