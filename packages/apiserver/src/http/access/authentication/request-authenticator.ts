import type { X509Certificate } from "node:crypto";
import { failure, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import type { Authentication, Authenticator, RequestCredentials } from "../authenticator.ts";
import { anonymousUser, withAuthenticatedGroup } from "../well-known-users.ts";
import { bearerTokenOf } from "./bearer-token.ts";
import { ClientCertificates } from "./client-certificate.ts";
import { firstToKnow, type TokenAuthenticator } from "./token-authenticator.ts";

export interface AuthenticationOptions {
  readonly tokens: readonly TokenAuthenticator[];
  /** Those whose client certificates are believed; none: certificates are not looked at. */
  readonly authorities: readonly X509Certificate[];
  readonly clock: Clock;
  /** What this server calls itself in tokens that name whom they are for. */
  readonly audiences?: readonly string[];
}

/** Somebody without credentials may ask for these, and what is below them; for all else the answer is 401. */
const anonymousPaths = ["/healthz", "/livez", "/readyz", "/version"];

/** A certificate decides before a token. Credentials that are wrong are never taken for none at all. */
export function requestAuthenticator(options: AuthenticationOptions): Authenticator {
  const certificates = new ClientCertificates(options.authorities);
  const tokens = firstToKnow(options.tokens);
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
