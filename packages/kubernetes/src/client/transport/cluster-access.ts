/** Current credentials and trust anchors. The same object as long as nothing has changed. */
export interface Identity {
  /** Authorization and Impersonate-… headers; names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** CA certificates that verify the server; those of the system when left out. */
  readonly authorityPem?: string;
  readonly certificate?: ClientCertificate;
}

export interface ClientCertificate {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
}

/** How to reach an API server, and with which credentials. */
export interface ClusterAccess {
  /** May have a path, which is prepended to every path of the API. */
  readonly server: URL;
  /** The default namespace. */
  readonly namespace: string;
  readonly verifiesServer: boolean;
  /** The name to verify in the server's certificate, if it is not that of the URL. */
  readonly serverName?: string;
  readonly proxy?: URL;
  /** The current identity; tokens and certificates are reloaded or renewed as needed. */
  identity(signal: AbortSignal): Promise<Identity>;
  /** The server rejected this identity: the next call creates a new one if possible. */
  invalidate(identity: Identity): void;
}
