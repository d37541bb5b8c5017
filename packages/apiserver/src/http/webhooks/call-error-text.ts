import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";

interface SystemError {
  readonly code?: string;
  readonly message: string;
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
}

const unknownAuthority: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** A network error in the words of Go, which people search for. */
export function networkErrorText(error: unknown): string {
  const { code = "", message, address, port, hostname } = error as SystemError;
  if (code === "ECONNREFUSED") return `dial tcp ${address}:${port}: connect: connection refused`;
  if (code === "EHOSTUNREACH") return `dial tcp ${address}:${port}: connect: no route to host`;
  if (code === "ENETUNREACH") return `dial tcp ${address}:${port}: connect: network is unreachable`;
  if (code === "ETIMEDOUT") return `dial tcp ${address}:${port}: connect: connection timed out`;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `dial tcp: lookup ${hostname}: no such host`;
  if (code === "ECONNRESET") return /hang up/.test(message) ? "EOF" : "read: connection reset by peer";
  if (unknownAuthority.has(code)) return certificateText("certificate signed by unknown authority");
  if (code === "CERT_HAS_EXPIRED") return certificateText("certificate has expired or is not yet valid");
  if (code === "CERT_NOT_YET_VALID") return certificateText("certificate has expired or is not yet valid");
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return certificateText(message);
  return message;
}

function certificateText(problem: string): string {
  return `tls: failed to verify certificate: x509: ${problem}`;
}

const statusTexts: Readonly<Record<number, string>> = {
  400: "the server rejected our request for an unknown reason",
  401: "the server has asked for the client to provide credentials",
  404: "the server could not find the requested resource",
  405: "the server does not allow this method on the requested resource",
  409: "the server reported a conflict",
  422: "the server rejected our request due to an error in our request",
  429: "the server has received too many requests and has asked us to try again later",
  503: "the server is currently unable to handle the request",
  504: "the server was unable to return a response in the time allotted, but may still be processing the request",
};

/** The error for a status code that is no success; `body` is the response's. */
export function statusCodeText(code: number, body: string): string {
  const known = statusTexts[code];
  if (known !== undefined) return known;
  const shown = body.trim() === "" ? "unknown" : body.trim().slice(0, 2048);
  if (code === 403 || code === 406 || code === 415) return shown;
  if (code >= 500) return `an error on the server (${quote(shown)}) has prevented the request from succeeding`;
  return `the server responded with the status code ${code} but did not return more information`;
}
