import type { TokenAuthenticator } from "./http/access/authentication/token-authenticator.ts";
import type { Authorizer } from "./http/access/authorizer.ts";
import type { PlaneResolver } from "./http/plane-path.ts";
import type { AdmissionPlugin } from "./registry/admission/admission-plugin.ts";

/** What another component adds to the server. */
export interface ServerExtension {
  readonly tokens?: readonly TokenAuthenticator[];
  /** Consulted for requests that neither system:masters nor RBAC allows. */
  readonly authorizers?: readonly Authorizer[];
  /** Run after webhooks and after plug-ins that were added earlier. */
  readonly plugins?: readonly AdmissionPlugin[];
  /** Replaces the previous resolver. Without one, everything is in the plane `root`. */
  readonly resolvePlane?: PlaneResolver;
}

/** All extensions of a server. Read with every request, so that an addition takes effect at once. */
export class ServerExtensions implements Required<ServerExtension> {
  readonly tokens: TokenAuthenticator[] = [];
  readonly authorizers: Authorizer[] = [];
  readonly plugins: AdmissionPlugin[] = [];
  #resolvePlane: PlaneResolver;

  constructor(plane: string) {
    this.#resolvePlane = (path) => ({ plane, path });
  }

  readonly resolvePlane: PlaneResolver = (path) => this.#resolvePlane(path);

  add({ tokens = [], authorizers = [], plugins = [], resolvePlane }: ServerExtension): void {
    this.tokens.push(...tokens);
    this.authorizers.push(...authorizers);
    this.plugins.push(...plugins);
    if (resolvePlane !== undefined) this.#resolvePlane = resolvePlane;
  }
}
