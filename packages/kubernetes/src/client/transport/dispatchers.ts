import { type Dispatcher, Pool, ProxyAgent } from "undici";
import type { ClusterAccess, Identity } from "./cluster-access.ts";
import { answerBytesMax } from "./transport.ts";

export interface SocketLimits {
  /** Connections for requests. Further requests wait for one to be free. */
  readonly connectionsMax: number;
  /** Connections for streams, where the server speaks no HTTP/2 and each stream takes one. */
  readonly streamsMax: number;
  readonly connectMsMax: number;
  /** How long the server may take to begin an answer, and between two pieces of it. */
  readonly answerMsMax: number;
  readonly idleMsMax: number;
}

export const defaultSocketLimits: SocketLimits = {
  connectionsMax: 64,
  streamsMax: 256,
  connectMsMax: 10_000,
  answerMsMax: 70_000, // a little more than the minute that API servers give a request
  idleMsMax: 30_000,
};

/** What a TLS connection to the server needs to know. */
export interface TlsOptions {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly rejectUnauthorized: boolean;
  readonly servername?: string;
}

export function tlsOptions(access: ClusterAccess, { authorityPem, certificate }: Identity): TlsOptions {
  return {
    rejectUnauthorized: access.verifiesServer,
    ...(authorityPem === undefined ? {} : { ca: authorityPem }),
    ...(certificate === undefined ? {} : { cert: certificate.certificatePem, key: certificate.privateKeyPem }),
    ...(access.serverName === undefined ? {} : { servername: access.serverName }),
  };
}

/** Keep-alive connections to the server, or to the proxy before it. */
export function dispatcherFor(
  access: ClusterAccess,
  tls: TlsOptions,
  use: "requests" | "streams",
  limits: SocketLimits,
): Dispatcher {
  const options = {
    connections: use === "requests" ? limits.connectionsMax : limits.streamsMax,
    headersTimeout: limits.answerMsMax,
    bodyTimeout: use === "requests" ? limits.answerMsMax : 0, // whoever reads a stream decides how long it may be silent
    keepAliveTimeout: limits.idleMsMax,
    maxResponseSize: use === "requests" ? answerBytesMax : -1,
  };
  // The system's own check of a name needs it spelled out; an address has none.
  const connect = { ...tls, timeout: limits.connectMsMax };
  if (access.proxy === undefined) return new Pool(access.server.origin, { ...options, connect });
  return new ProxyAgent({ ...options, uri: access.proxy.href, requestTls: connect });
}
