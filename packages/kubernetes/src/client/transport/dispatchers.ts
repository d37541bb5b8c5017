import { type Dispatcher, Pool, ProxyAgent } from "undici";
import type { ClusterAccess, Identity } from "./cluster-access.ts";
import { responseBytesMax } from "./transport.ts";

export interface HttpLimits {
  /** Connections for requests. Further requests wait for a free one. */
  readonly connectionsMax: number;
  /** Connections for streams, if the server does not support HTTP/2 and each stream takes one. */
  readonly streamsMax: number;
  readonly connectMsMax: number;
  /** Timeout for the start of a response, and between two chunks of it. */
  readonly responseMsMax: number;
  readonly idleMsMax: number;
}

export const defaultHttpLimits: HttpLimits = {
  connectionsMax: 64,
  streamsMax: 256,
  connectMsMax: 10_000,
  responseMsMax: 70_000, // a little more than an API server's request timeout of a minute
  idleMsMax: 30_000,
};

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

/** Keep-alive connections to the server, or to its proxy. */
export function dispatcherFor(
  access: ClusterAccess,
  tls: TlsOptions,
  use: "requests" | "streams",
  limits: HttpLimits,
): Dispatcher {
  const options = {
    connections: use === "requests" ? limits.connectionsMax : limits.streamsMax,
    headersTimeout: limits.responseMsMax,
    bodyTimeout: use === "requests" ? limits.responseMsMax : 0, // the reader of a stream has its own timeout
    keepAliveTimeout: limits.idleMsMax,
    maxResponseSize: use === "requests" ? responseBytesMax : -1,
  };
  // Node checks the certificate by this name; it must not be set for an address.
  const connect = { ...tls, timeout: limits.connectMsMax };
  if (access.proxy === undefined) return new Pool(access.server.origin, { ...options, connect });
  return new ProxyAgent({ ...options, uri: access.proxy.href, requestTls: connect });
}
