import { abortable } from "@milo-quota/kubernetes/client/abortable.ts";
import { rootPlane } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { Informer } from "@milo-quota/kubernetes/client/watch/informer.ts";
import { listerWatcherFor } from "@milo-quota/kubernetes/client/watch/lister-watcher.ts";
import { systemNamespace } from "../core/resources/well-known.ts";
import type { TenancyRuntime } from "./tenancy-runtime.ts";
import { isKeyOf, parseUserToken, readToken, type StoredToken, userTokenType } from "./user-token.ts";

const secretsType: ResourceType = { group: "", version: "v1", plural: "secrets", scope: "Namespaced" };

/** The user that a token authenticates. */
export interface TokenBearer {
  readonly user: {
    readonly username: string;
    readonly uid: string;
    readonly groups: readonly string[];
    readonly extra: Readonly<Record<string, readonly string[]>>;
  };
}

/** Authenticates users by tokens that are stored in Secrets. Deleting the Secret revokes the token. */
export class UserTokens {
  readonly #tokens: Informer<StoredToken, StoredToken>;
  readonly #clock: TenancyRuntime["clock"];

  constructor({ client, clock, random, report }: Pick<TenancyRuntime, "client" | "clock" | "random" | "report">) {
    this.#clock = clock;
    const secrets = client.resource(secretsType, parseUserToken);
    const selection = { namespace: systemNamespace, fieldSelector: `type=${userTokenType}` };
    this.#tokens = new Informer<StoredToken, StoredToken>({
      source: listerWatcherFor(secrets, client.transport, selection),
      parse: parseUserToken,
      transform: (token) => token,
      clock,
      random,
      report: (error) => report("user tokens", error),
    });
  }

  get ready(): Promise<void> {
    return this.#tokens.synced;
  }

  start(): void {
    this.#tokens.start();
  }

  async stop(): Promise<void> {
    await this.#tokens.stop();
  }

  /** Undefined for tokens of another format, unknown tokens and expired tokens. */
  async authenticateToken(token: string, signal: AbortSignal): Promise<TokenBearer | undefined> {
    const read = readToken(token);
    if (read === undefined) return undefined;
    await abortable(this.#tokens.synced, signal);
    const known = this.#tokens.get({ plane: rootPlane.plane, namespace: systemNamespace, name: read.secretName });
    if (known === undefined || !isKeyOf(read.key, known)) return undefined;
    if (known.expiresAtMs !== undefined && known.expiresAtMs <= this.#clock.now()) return undefined;
    return { user: { username: known.user, uid: "", groups: known.groups, extra: {} } };
  }
}
