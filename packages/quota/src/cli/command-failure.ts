import { KubeconfigError } from "@milo-quota/kubernetes/client/kubeconfig/kubeconfig-error.ts";
import { ConnectionFailed } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";

/** Why a command could not do its work, and what to do about it. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
  readonly exitCode: ExitCode;
  readonly advice: string;

  constructor(message: string, exitCode: ExitCode, advice = "") {
    super(message);
    this.exitCode = exitCode;
    this.advice = advice;
  }
}

/** What people are told of anything that goes wrong. What nobody foresaw is a mistake of ours, and told in full. */
export function failureOf(error: unknown, server: string): CommandFailure {
  if (error instanceof CommandFailure) return error;
  if (error instanceof KubeconfigError) {
    const advice = "`milo-quota up` starts a server on this machine, and says how to reach it.";
    return new CommandFailure(error.message, exitCodes.unreachable, advice);
  }
  if (error instanceof ConnectionFailed) return unreachable(error, server);
  if (error instanceof StatusError) return refused(error, server);
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new CommandFailure(`something went wrong that should not: ${text}`, exitCodes.unusable);
}

const starting = "Is it running? `milo-quota up` starts one here; --kubeconfig, --context and --server choose another.";
const untrusted =
  "Name the authority that vouches for it with --certificate-authority, or, on a machine of yours, trust it blindly " +
  "with --insecure-skip-tls-verify.";

/** What systems say in words of their own. */
const sentences: Readonly<Record<string, string>> = {
  ENOTFOUND: "nobody knows a machine of that name",
  EAI_AGAIN: "the name of the machine cannot be looked up now",
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "it broke off the connection",
  EPIPE: "it broke off the connection",
  UND_ERR_SOCKET: "it broke off the connection",
  ETIMEDOUT: "it took too long to connect",
  UND_ERR_CONNECT_TIMEOUT: "it took too long to connect",
  EHOSTUNREACH: "there is no way to that machine",
  ENETUNREACH: "there is no way to that network",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak TLS; write http:// if that is meant",
  EPROTO: "it does not speak TLS; write http:// if that is meant",
};

function unreachable(error: ConnectionFailed, server: string): CommandFailure {
  const code = codeIn(error.cause);
  if (/CERT|SELF_SIGNED|ALTNAME|ISSUER/.test(code)) {
    const message = `the certificate of the server at ${server} cannot be trusted: ${messageIn(error.cause)}`;
    return new CommandFailure(message, exitCodes.unreachable, untrusted);
  }
  const message = `no answer from the server at ${server}: ${sentences[code] ?? messageIn(error.cause)}`;
  return new CommandFailure(message, exitCodes.unreachable, starting);
}

function refused({ status, message }: StatusError, server: string): CommandFailure {
  switch (status.code) {
    case 401: {
      const advice = "The token may have ended: get another, and give it with --token or in the kubeconfig.";
      return new CommandFailure(
        `the server at ${server} does not know who you are: ${message}`,
        exitCodes.forbidden,
        advice,
      );
    }
    case 403: {
      const advice =
        "Ask whoever runs the server for this right. Members of an organization see its part with --organization NAME, " +
        "and a project with --project NAME.";
      return new CommandFailure(message, exitCodes.forbidden, advice);
    }
    case 404:
      return new CommandFailure(message, exitCodes.missing);
    default:
      return new CommandFailure(
        message,
        exitCodes.unusable,
        status.code === 429 || status.code >= 500 ? "Try again." : "",
      );
  }
}

/** Errors of connections come in layers; the innermost knows most. */
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
