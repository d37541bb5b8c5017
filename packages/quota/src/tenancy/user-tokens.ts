import { rootPlane } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { untilAborted } from "@milo-quota/kubernetes/client/until-aborted.ts";
import { Informer } from "@milo-quota/kubernetes/client/watch/informer.ts";
import { sourceOf } from "@milo-quota/kubernetes/client/watch/object-source.ts";
import { systemNamespace } from "../core/resources/well-known.ts";
import type { TenancyRuntime } from "./tenancy-runtime.ts";
import { isKeyOf, type KnownToken, parseUserToken, readToken, userTokenType } from "./user-token.ts";

const secretsType: ResourceType = { group: "", version: "v1", plural: "secrets", scope: "Namespaced" };

/** Whom a token is of, in the words of the server. */
export interface TokenBearer {
  readonly user: {
    readonly username: string;
    readonly uid: string;
    readonly groups: readonly string[];
    readonly extra: Readonly<Record<string, readonly string[]>>;
  };
}

/** Knows users by tokens that are kept in Secrets. Deleting the Secret is the end of its token. */
export class UserTokens {
  readonly #tokens: Informer<KnownToken, KnownToken>;
  readonly #clock: TenancyRuntime["clock"];

  constructor({ client, clock, random, report }: Pick<TenancyRuntime, "client" | "clock" | "random" | "report">) {
    this.#clock = clock;
    const secrets = client.resource(secretsType, parseUserToken);
    const selection = { namespace: systemNamespace, fieldSelector: `type=${userTokenType}` };
    this.#tokens = new Informer<KnownToken, KnownToken>({
      source: sourceOf(secrets, client.transport, selection),
      parse: parseUserToken,
      keep: (token) => token,
      clock,
      random,
      report: (error) => report("tokens of users", error),
    });
  }

  get ready(): Promise<void> {
    return this.#tokens.ready;
  }

  start(): void {
    this.#tokens.start();
  }

  async stop(): Promise<void> {
    await this.#tokens.stop();
  }

  /** Undefined for a token that is not one of these, is not known, or is no longer valid. */
  async authenticateToken(token: string, signal: AbortSignal): Promise<TokenBearer | undefined> {
    const read = readToken(token);
    if (read === undefined) return undefined;
    await untilAborted(this.#tokens.ready, signal);
    const known = this.#tokens.get({ plane: rootPlane.plane, namespace: systemNamespace, name: read.secretName });
    if (known === undefined || !isKeyOf(read.key, known)) return undefined;
    if (known.expiresAtMs !== undefined && known.expiresAtMs <= this.#clock.now()) return undefined;
    return { user: { username: known.user, uid: "", groups: known.groups, extra: {} } };
  }
}
