import { randomUUID } from "node:crypto";
import type { Clock } from "../protocol/clock.ts";
import type { Labels } from "../protocol/label-selector.ts";
import { DefinitionKeeper } from "./housekeeping/definition-keeper.ts";
import { EventExpiry } from "./housekeeping/event-expiry.ts";
import { GarbageCollector } from "./housekeeping/garbage-collector.ts";
import { NamespaceEmptier } from "./housekeeping/namespace-emptier.ts";
import { PlaneCloser } from "./housekeeping/plane-closer.ts";
import { RoleAggregator } from "./housekeeping/role-aggregator.ts";
import { requestAuthenticator } from "./http/access/authentication/request-authenticator.ts";
import { firstToKnow, type TokenAuthenticator } from "./http/access/authentication/token-authenticator.ts";
import { type Authorizer, allowMasters, firstOpinionOf } from "./http/access/authorizer.ts";
import { defaultFairQueueLimits, FairQueue, type FairQueueLimits } from "./http/access/fair-queue.ts";
import { escalationCheck } from "./http/access/rbac/escalation-check.ts";
import { PolicyIndex } from "./http/access/rbac/policy-index.ts";
import { rbacAuthorizer } from "./http/access/rbac/rbac-authorizer.ts";
import { storedRbacObjects } from "./http/access/rbac/rbac-objects.ts";
import type { ReviewPorts } from "./http/access/reviews/review-context.ts";
import { ApiServer, type OtherPaths, type PlaneResolver } from "./http/api-server.ts";
import type { CertificateAuthority } from "./http/certificates/certificate-authority.ts";
import { EventLines } from "./http/event-lines.ts";
import { type Answering, observed, type RequestListener } from "./http/observed-api.ts";
import { OpenWatches, type WatchLimits } from "./http/open-watches.ts";
import { openApiPaths } from "./http/openapi/openapi-paths.ts";
import { serverPaths } from "./http/other-paths.ts";
import { applyWebhookPatch } from "./http/webhooks/apply-webhook-patch.ts";
import { HttpsWebhookCaller } from "./http/webhooks/https-webhook-caller.ts";
import { WebhookCatalog } from "./http/webhooks/webhook-catalog.ts";
import { webhookDispatcher } from "./http/webhooks/webhook-dispatcher.ts";
import { bootstrapPlane } from "./plane-bootstrap.ts";
import type { AdmissionPlugin, AdmissionRequest } from "./registry/admission.ts";
import { AdmissionChain } from "./registry/admission-chain.ts";
import { builtinKinds } from "./registry/builtin/builtin-kinds.ts";
import { ComingObjects } from "./registry/coming-objects.ts";
import { kindsOf } from "./registry/crd/custom-kind.ts";
import { type DefinitionsFrom, KindCatalog } from "./registry/kind-catalog.ts";
import type { Random } from "./registry/object-name.ts";
import type { Registry } from "./registry/registry.ts";
import type { ObjectStore } from "./storage/object-store.ts";
import type { RecordLog } from "./storage/record-log.ts";
import { openStore } from "./storage/store.ts";
import type { StoreLimits } from "./storage/store-limits.ts";

export interface EmbeddedOptions {
  readonly log: RecordLog;
  readonly clock: Clock;
  readonly random?: Random;
  readonly tokens: readonly TokenAuthenticator[];
  /** Whose client certificates are believed. */
  readonly authority?: CertificateAuthority;
  /** Asked what somebody may do, of whom neither masters nor roles say that they may. */
  readonly authorizers?: readonly Authorizer[];
  readonly plugins?: readonly AdmissionPlugin[];
  /** Takes what webhooks want to have noted about a request. */
  readonly annotate?: (request: AdmissionRequest, key: string, value: string) => void;
  /** Everything is in one plane, called `root`, when this is left out. */
  readonly resolvePlane?: PlaneResolver;
  /** A plane whose definitions hold in this one as well; its own of the same name stand in front of them. */
  readonly definitionsFrom?: DefinitionsFrom;
  /** Paths that others answer. */
  readonly otherPaths?: readonly OtherPaths[];
  /** Those who count. */
  readonly toldRequests?: RequestListener;
  readonly report: (error: unknown) => void;
  /** Where others than the usual ones hold. */
  readonly limits?: EmbeddedLimits;
}

export interface EmbeddedLimits {
  readonly store?: Partial<StoreLimits>;
  readonly queue?: Partial<FairQueueLimits>;
  readonly watches?: Partial<WatchLimits>;
}

export interface EmbeddedServer {
  readonly api: Answering;
  readonly registry: Registry;
  readonly kinds: KindCatalog;
  readonly watches: OpenWatches;
  /** Gives a plane what each has: namespaces, and the roles that Kubernetes starts with. To be done before its first use. */
  openPlane(plane: string): Promise<void>;
  /**
   * Deletes everything in a plane for good, finalizers or not, and lets its name be used again; nobody is answered in it
   * from then on. What a crash interrupts goes on at the next start. Not for the root, nor for a plane whose definitions
   * others have.
   */
  closePlane(plane: string): Promise<void>;
  /** Ends all streams, and writes what is on its way. */
  stop(): Promise<void>;
}

export const rootPlane = "root";

const systemRandom: Random = { fraction: Math.random, uuid: randomUUID };
const version = { major: "1", minor: "34", gitVersion: "v1.34.0+milo-quota" };

/** What this server calls itself in tokens. */
const audience = "https://kubernetes.default.svc";

/** The whole API server but for its socket. */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const { clock, report, limits = {} } = options;
  const store = await openStore(options.log, clock, { limits: limits.store ?? {}, report });
  const random = options.random ?? systemRandom;
  const kinds = new KindCatalog(store, builtinKinds, kindsOf, options.definitionsFrom);
  const policies = new PolicyIndex(storedRbacObjects(store));
  const authorizer = firstOpinionOf([allowMasters, rbacAuthorizer(policies), ...(options.authorizers ?? [])]);
  const caller = new HttpsWebhookCaller({ clock });
  const webhooks = webhookDispatcher({
    catalog: new WebhookCatalog(store),
    caller,
    newUid: random.uuid,
    annotate: options.annotate ?? (() => undefined),
    applyPatch: applyWebhookPatch,
    namespaceLabels: (plane, namespace) => namespaceLabels(store, plane, namespace),
    versionsOf: (plane, kind) => kinds.inPlane(plane).versionsOf(kind),
  });
  // Those of the process come last: what they give for an object is not given in vain.
  const plugins = [webhooks, escalationCheck({ policies, authorizer }), ...(options.plugins ?? [])];
  const admission = new AdmissionChain(plugins, report);
  const { definitionsFrom } = options;
  const watches = new OpenWatches(limits.watches);
  const endWatches = (plane: string): void => watches.finishIn(plane);
  const closer = new PlaneCloser({ store, clock, definitionsFrom, endWatches, report });
  const registry: Registry = {
    store,
    admission,
    coming: new ComingObjects(),
    clock,
    random,
    isClosing: (plane) => closer.isClosing(plane),
    ...(definitionsFrom === undefined ? {} : { definitionsFrom }),
  };
  const resolvePlane: PlaneResolver = options.resolvePlane ?? ((path) => ({ plane: rootPlane, path }));
  const server = new ApiServer({
    registry,
    kinds,
    resolvePlane,
    authenticator: requestAuthenticator({
      tokens: options.tokens,
      authorities: options.authority === undefined ? [] : [options.authority.certificate],
      clock,
      audiences: [audience],
    }),
    authorizer,
    queue: new FairQueue({ ...defaultFairQueueLimits, ...limits.queue }, clock),
    reviews: reviewPorts(options, authorizer, policies),
    otherPaths: [openApiPaths(kinds), serverPaths(kinds, version, () => store.fault), ...(options.otherPaths ?? [])],
    watches,
    lines: new EventLines(),
    clock,
    report,
  });
  const told = options.toldRequests;
  const api: Answering = told === undefined ? server : observed(server, { kinds, resolvePlane, clock, told });
  const openPlane = async (plane: string): Promise<void> => {
    await closer.closed(plane);
    await bootstrapPlane(registry, kinds, plane, new AbortController().signal);
  };
  await openPlane(rootPlane);
  const housekeeping = [closer, ...housekeepers(registry, kinds, report)];
  return {
    api,
    registry,
    kinds,
    watches,
    openPlane,
    closePlane: async (plane) => {
      if (plane === rootPlane) throw new Error("the root cannot be closed");
      await closer.close(plane);
    },
    stop: async () => {
      watches.stop();
      for (const keeper of housekeeping) keeper.stop();
      kinds.stop();
      policies.stop();
      caller.stop();
      await store.close();
    },
  };
}

function reviewPorts(
  { tokens, authorizers, clock }: EmbeddedOptions,
  authorizer: Authorizer,
  policies: PolicyIndex,
): ReviewPorts {
  const hasUnlistedRights = authorizers !== undefined;
  return { authorizer, policies, hasUnlistedRights, tokens: firstToKnow(tokens), audiences: [audience], clock };
}

function housekeepers(registry: Registry, kinds: KindCatalog, report: (error: unknown) => void) {
  return [
    new GarbageCollector(registry, kinds, report),
    new NamespaceEmptier(registry, kinds, report),
    new DefinitionKeeper(registry, kinds, report),
    new RoleAggregator(registry, kinds, report),
    new EventExpiry(registry, kinds, report),
  ];
}

function namespaceLabels(store: ObjectStore, plane: string, name: string): Labels | undefined {
  const found = store.get({ plane, resource: "namespaces", namespace: "", name });
  return found === undefined ? undefined : (found.object.metadata.labels ?? {});
}
