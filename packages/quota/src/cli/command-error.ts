import { KubeconfigError } from "@milo-quota/kubernetes/client/kubeconfig/kubeconfig-error.ts";
import { ConnectionFailed } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";

/** An error with its exit code and advice for the user. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly exitCode: ExitCode;
  readonly advice: string;

  constructor(message: string, exitCode: ExitCode, advice = "", options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
    this.advice = advice;
  }
}

/** Translates any error into one for the user. Unexpected errors are bugs, and keep their stack. */
export function toCommandError(error: unknown, server: string): CommandError {
  if (error instanceof CommandError) return error;
  if (error instanceof KubeconfigError) {
    const advice = "`milo-quota up` starts a local server and prints how to connect to it.";
    return new CommandError(error.message, exitCodes.unreachable, advice, { cause: error });
  }
  if (error instanceof ConnectionFailed) return unreachable(error, server);
  if (error instanceof StatusError) return fromStatus(error, server);
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new CommandError(`internal error: ${text}`, exitCodes.usageError);
}

const startServer =
  "Is the server running? `milo-quota up` starts a local one; --kubeconfig, --context and --server select another.";
const verifyServer =
  "Pass its CA certificate with --certificate-authority, or, on a trusted network, skip the check with " +
  "--insecure-skip-tls-verify.";

/** Texts for system and library error codes. */
const connectionErrors: Readonly<Record<string, string>> = {
  ENOTFOUND: "no such host",
  EAI_AGAIN: "temporary failure in name resolution",
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  EPIPE: "connection reset",
  UND_ERR_SOCKET: "connection reset",
  ETIMEDOUT: "connection timed out",
  UND_ERR_CONNECT_TIMEOUT: "connection timed out",
  EHOSTUNREACH: "no route to host",
  ENETUNREACH: "network is unreachable",
  ERR_SSL_WRONG_VERSION_NUMBER: "the server does not speak TLS; use http:// if that is intended",
  EPROTO: "the server does not speak TLS; use http:// if that is intended",
};

function unreachable(error: ConnectionFailed, server: string): CommandError {
  const code = codeIn(error.cause);
  if (/CERT|SELF_SIGNED|ALTNAME|ISSUER/.test(code)) {
    const message = `cannot verify the certificate of the server at ${server}: ${messageIn(error.cause)}`;
    return new CommandError(message, exitCodes.unreachable, verifyServer);
  }
  const message = `cannot connect to the server at ${server}: ${connectionErrors[code] ?? messageIn(error.cause)}`;
  return new CommandError(message, exitCodes.unreachable, startServer);
}

function fromStatus({ status, message }: StatusError, server: string): CommandError {
  switch (status.code) {
    case 401: {
      const advice = "The token may have expired: pass a new one with --token, or update the kubeconfig.";
      return new CommandError(
        `the server at ${server} rejects your credentials: ${message}`,
        exitCodes.forbidden,
        advice,
      );
    }
    case 403: {
      const advice =
        "Ask an administrator of the server for this permission. Members of an organization need --organization NAME, " +
        "or --project NAME for one of its projects.";
      return new CommandError(message, exitCodes.forbidden, advice);
    }
    case 404:
      return new CommandError(message, exitCodes.notFound);
    default:
      return new CommandError(
        message,
        exitCodes.usageError,
        status.code === 429 || status.code >= 500 ? "Try again." : "",
      );
  }
}

/** Connection errors are nested; the innermost code is the most specific. */
function codeIn(error: unknown): string {
  const { code, cause, errors } = (error ?? {}) as { code?: unknown; cause?: unknown; errors?: readonly unknown[] };
  if (typeof code === "string") return code;
  const inner = cause ?? errors?.[0];
  return inner === undefined ? "" : codeIn(inner);
}

function messageIn(error: unknown): string {
  const { message, errors } = (error ?? {}) as { message?: unknown; errors?: readonly unknown[] };
  if (typeof message === "string" && message !== "") return message;
  return errors?.[0] === undefined ? String(error) : messageIn(errors[0]);
}
