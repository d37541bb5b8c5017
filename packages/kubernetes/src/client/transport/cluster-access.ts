/** What proves who we are, and who the server is, at one moment. The same object as long as nothing has changed. */
export interface Identity {
  /** Authorization and Impersonate-… headers; names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Of those who may vouch for the server; those of the system when left out. */
  readonly authorityPem?: string;
  readonly certificate?: ClientCertificate;
}

export interface ClientCertificate {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
}

/** How to reach an API server, and who we are there. */
export interface ClusterAccess {
  /** With the path that comes before every path of the API, if there is one. */
  readonly server: URL;
  /** Where objects go whose namespace nobody names. */
  readonly namespace: string;
  readonly verifiesServer: boolean;
  /** The name in the server's certificate, where it is not that of the URL. */
  readonly serverName?: string;
  readonly proxy?: URL;
  /** What proves who we are now; tokens and certificates are read again, or asked for again, in time. */
  identity(signal: AbortSignal): Promise<Identity>;
  /** The server did not believe this one: the next is made anew, if it can be. */
  refused(identity: Identity): void;
}
