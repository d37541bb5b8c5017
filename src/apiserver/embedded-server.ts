import { randomUUID } from "node:crypto";
import type { Clock } from "../protocol/clock.ts";
import { GarbageCollector } from "./housekeeping/garbage-collector.ts";
import { NamespaceEmptier } from "./housekeeping/namespace-emptier.ts";
import { requestAuthenticator } from "./http/access/authentication/request-authenticator.ts";
import type { TokenAuthenticator } from "./http/access/authentication/token-authenticator.ts";
import { allowMasters, firstOpinionOf } from "./http/access/authorizer.ts";
import { PolicyIndex } from "./http/access/rbac/policy-index.ts";
import { rbacAuthorizer } from "./http/access/rbac/rbac-authorizer.ts";
import { storedRbacObjects } from "./http/access/rbac/rbac-objects.ts";
import { ApiServer, type PlaneResolver } from "./http/api-server.ts";
import type { CertificateAuthority } from "./http/certificates/certificate-authority.ts";
import { serverPaths } from "./http/other-paths.ts";
import { watchLimits } from "./http/watch-stream.ts";
import { bootstrapPlane } from "./plane-bootstrap.ts";
import type { AdmissionPlugin } from "./registry/admission.ts";
import { AdmissionChain } from "./registry/admission-chain.ts";
import { builtinKinds } from "./registry/builtin/builtin-kinds.ts";
import { KindCatalog } from "./registry/kind-catalog.ts";
import type { Random } from "./registry/object-name.ts";
import type { Registry } from "./registry/registry.ts";
import type { RecordLog } from "./storage/record-log.ts";
import { openStore } from "./storage/store.ts";

export interface EmbeddedOptions {
  readonly log: RecordLog;
  readonly clock: Clock;
  readonly random?: Random;
  readonly tokens: readonly TokenAuthenticator[];
  /** Whose client certificates are believed. */
  readonly authority?: CertificateAuthority;
  readonly plugins?: readonly AdmissionPlugin[];
  /** Everything is in one plane, called `root`, when this is left out. */
  readonly resolvePlane?: PlaneResolver;
  readonly report: (error: unknown) => void;
}

export interface EmbeddedServer {
  readonly api: ApiServer;
  readonly registry: Registry;
  readonly kinds: KindCatalog;
  stop(): Promise<void>;
}

export const rootPlane = "root";

const systemRandom: Random = { fraction: Math.random, uuid: randomUUID };
const version = { major: "1", minor: "34", gitVersion: "v1.34.0+milo-quota" };

/** The whole API server but for its socket. */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const { clock, report } = options;
  const store = await openStore(options.log, clock);
  const kinds = new KindCatalog(store, builtinKinds, () => []);
  const admission = new AdmissionChain(options.plugins ?? [], report);
  const registry: Registry = { store, admission, clock, random: options.random ?? systemRandom };
  const policies = new PolicyIndex(storedRbacObjects(store));
  const api = new ApiServer({
    registry,
    kinds,
    resolvePlane: options.resolvePlane ?? ((path) => ({ plane: rootPlane, path })),
    authenticator: requestAuthenticator({
      tokens: options.tokens,
      authorities: options.authority === undefined ? [] : [options.authority.certificate],
      clock,
    }),
    authorizer: firstOpinionOf([allowMasters, rbacAuthorizer(policies)]),
    turns: async () => () => undefined,
    otherPaths: serverPaths(kinds, version, () => undefined),
    watchLimits,
    clock,
    report,
  });
  await bootstrapPlane(registry, kinds, rootPlane, new AbortController().signal);
  const housekeeping = [new GarbageCollector(registry, kinds, report), new NamespaceEmptier(registry, kinds, report)];
  return {
    api,
    registry,
    kinds,
    stop: async () => {
      for (const keeper of housekeeping) keeper.stop();
      kinds.stop();
      await store.close();
    },
  };
}
