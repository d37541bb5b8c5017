import { randomUUID } from "node:crypto";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { Labels } from "@milo-quota/kubernetes/protocol/selectors/label-selector.ts";
import { CrdController } from "./controllers/crd-controller.ts";
import { EventExpiry } from "./controllers/event-expiry.ts";
import { GarbageCollector } from "./controllers/garbage-collector.ts";
import { NamespaceController } from "./controllers/namespace-controller.ts";
import { PlaneCloser } from "./controllers/plane-closer.ts";
import { RoleAggregator } from "./controllers/role-aggregator.ts";
import { requestAuthenticator } from "./http/access/authentication/request-authenticator.ts";
import { unionTokenAuthenticator } from "./http/access/authentication/token-authenticator.ts";
import type { Authenticator } from "./http/access/authenticator.ts";
import { type Authorizer, allowMasters, unionAuthorizer } from "./http/access/authorizer.ts";
import { defaultFairQueueLimits, FairQueue, type FairQueueLimits } from "./http/access/fair-queue.ts";
import { escalationCheck } from "./http/access/rbac/escalation-check.ts";
import { rbacAuthorizer } from "./http/access/rbac/rbac-authorizer.ts";
import { storedRbacObjects } from "./http/access/rbac/rbac-objects.ts";
import { PolicyIndex } from "./http/access/rbac/rules-by-subject.ts";
import type { ReviewDeps } from "./http/access/reviews/review-context.ts";
import { ApiServer, type PathHandler } from "./http/api-server.ts";
import type { CertificateAuthority } from "./http/certificates/certificate-authority.ts";
import { observeRequests, type RequestHandler, type RequestObserver } from "./http/observe-requests.ts";
import { openApiPaths } from "./http/openapi/openapi-paths.ts";
import { serverPaths } from "./http/server-paths.ts";
import { EventLines } from "./http/watch/event-lines.ts";
import { OpenWatches, type WatchLimits } from "./http/watch/open-watches.ts";
import { applyWebhookPatch } from "./http/webhooks/apply-webhook-patch.ts";
import { HttpsWebhookCaller } from "./http/webhooks/https-webhook-caller.ts";
import { WebhookCatalog } from "./http/webhooks/webhook-catalog.ts";
import { webhookDispatcher } from "./http/webhooks/webhook-dispatcher.ts";
import { bootstrapPlane } from "./plane-bootstrap.ts";
import { AdmissionChain } from "./registry/admission/admission-chain.ts";
import type { AdmissionRequest } from "./registry/admission/admission-plugin.ts";
import { builtinKinds } from "./registry/builtin/builtin-kinds.ts";
import { kindsOf, type UnknownFieldHint } from "./registry/crd/objects/custom-kind.ts";
import { type DefinitionsFrom, KindCatalog, type KindsOfDefinition } from "./registry/kinds/kind-catalog.ts";
import type { Random } from "./registry/metadata/object-name.ts";
import type { Registry } from "./registry/registry.ts";
import { isRemovalUpdate } from "./registry/removal-update.ts";
import { removeStored } from "./registry/store-change.ts";
import { type ServerExtension, ServerExtensions } from "./server-extensions.ts";
import type { RecordLog } from "./storage/log/record-log.ts";
import type { ObjectStore } from "./storage/object-store.ts";
import { type IsRemoval, openStore, type StoreOptions } from "./storage/store.ts";
import type { StoreLimits } from "./storage/store-limits.ts";
import type { StoredObject } from "./storage/stored-object.ts";

export interface EmbeddedOptions extends ServerExtension, Pick<StoreOptions, "onWriteProblem"> {
  readonly log: RecordLog;
  readonly clock: Clock;
  readonly random?: Random;
  /** Issuer whose client certificates authenticate users. */
  readonly authority?: CertificateAuthority;
  /** Records audit annotations that webhooks return for a request. */
  readonly annotate?: (request: AdmissionRequest, key: string, value: string) => void;
  /**
   * A plane whose definitions are also served in this one; definitions of the same name in this plane take precedence.
   */
  readonly definitionsFrom?: DefinitionsFrom;
  /** ClusterRoles that every plane starts with, besides those of Kubernetes. */
  readonly clusterRoles?: readonly JsonObject[];
  /** Explains unknown fields of custom kinds, for example fields that were renamed. */
  readonly unknownFieldHint?: UnknownFieldHint;
  /** Handlers for paths outside the API, tried in order. */
  readonly otherPaths?: readonly PathHandler[];
  readonly requestObserver?: RequestObserver;
  readonly report: (error: unknown) => void;
  /** Further updates, besides those of removals, that are stored even if the disk is full. */
  readonly isRelease?: IsRemoval;
  /** Overrides of the default limits. */
  readonly limits?: EmbeddedLimits;
}

export interface EmbeddedLimits {
  readonly store?: Partial<StoreLimits>;
  readonly queue?: Partial<FairQueueLimits>;
  readonly watches?: Partial<WatchLimits>;
}

export interface EmbeddedServer {
  readonly api: RequestHandler;
  readonly registry: Registry;
  readonly kinds: KindCatalog;
  readonly watches: OpenWatches;
  /** Adds a component that is built after the server, such as quota. Must be called before the server listens. */
  extend(extension: ServerExtension): void;
  /**
   * Creates what every plane starts with: namespaces and the bootstrap roles. Must be called before the plane is first
   * used.
   */
  openPlane(plane: string): Promise<void>;
  /**
   * Deletes everything in a plane, ignoring finalizers, and frees its name. Requests to the plane fail from then on. A
   * close interrupted by a crash continues at the next start. Not for the root plane, nor for a plane whose definitions
   * other planes use.
   */
  closePlane(plane: string): Promise<void>;
  /** Ends all streams and flushes pending writes. */
  stop(): Promise<void>;
}

export const rootPlane = "root";

const systemRandom: Random = { fraction: Math.random, uuid: randomUUID };
const version = { major: "1", minor: "34", gitVersion: "v1.34.0+milo-quota" };

/** Audience of the tokens that this server accepts. */
const audience = "https://kubernetes.default.svc";

/** The whole API server except its socket. */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const { clock, report, limits = {}, clusterRoles = [] } = options;
  const store = await openStore(options.log, clock, storeOptions(options));
  const random = options.random ?? systemRandom;
  const customKinds: KindsOfDefinition = (crd, revision) => kindsOf(crd, revision, options.unknownFieldHint);
  const kinds = new KindCatalog(store, builtinKinds, customKinds, options.definitionsFrom);
  const policies = new PolicyIndex(storedRbacObjects(store));
  const extensions = new ServerExtensions(rootPlane);
  const authorizer = unionAuthorizer([allowMasters, rbacAuthorizer(policies), unionAuthorizer(extensions.authorizers)]);
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
  // Plug-ins of the process run last, so that a webhook's refusal wastes no claim.
  extensions.add({ plugins: [webhooks, escalationCheck({ policies, authorizer })] });
  extensions.add(options);
  const { definitionsFrom } = options;
  const watches = new OpenWatches(limits.watches);
  const endWatches = (plane: string): void => watches.finishIn(plane);
  const remove = (stored: StoredObject): Promise<unknown> => removeStored(registry, stored, stored.object);
  const closer = new PlaneCloser({ store, clock, random, definitionsFrom, endWatches, remove, report });
  const registry: Registry = {
    store,
    admission: new AdmissionChain(extensions.plugins, report),
    clock,
    random,
    isClosing: (plane) => closer.isClosing(plane),
    ...(definitionsFrom === undefined ? {} : { definitionsFrom }),
  };
  const { resolvePlane, tokens } = extensions;
  const server = new ApiServer({
    registry,
    kinds,
    resolvePlane,
    authenticator: authenticatorFor(tokens, options.authority, clock),
    authorizer,
    queue: new FairQueue({ ...defaultFairQueueLimits, ...limits.queue }, clock),
    reviews: reviewDeps(extensions, authorizer, policies, clock),
    otherPaths: [
      openApiPaths(kinds),
      serverPaths(kinds, version, { ping: () => store.writeFailure, storage: () => store.writeProblem }),
      ...(options.otherPaths ?? []),
    ],
    watches,
    lines: new EventLines(),
    clock,
    report,
  });
  const observer = options.requestObserver;
  const api: RequestHandler =
    observer === undefined ? server : observeRequests(server, { kinds, resolvePlane, clock, observer });
  const openPlane = async (plane: string): Promise<void> => {
    await closer.closed(plane);
    await bootstrapPlane({ registry, kinds, clusterRoles }, plane, new AbortController().signal);
  };
  await openPlane(rootPlane);
  const parts = [watches, closer, ...startControllers(registry, kinds, report), kinds, policies, caller];
  return {
    api,
    registry,
    kinds,
    watches,
    extend: (extension) => extensions.add(extension),
    openPlane,
    closePlane: async (plane) => {
      if (plane === rootPlane) throw new Error("the root plane cannot be closed");
      await closer.close(plane);
    },
    stop: async () => {
      for (const part of parts) part.stop();
      await store.close();
    },
  };
}

function storeOptions({ limits = {}, report, isRelease, onWriteProblem }: EmbeddedOptions): StoreOptions {
  const isRemoval: IsRemoval = (before, after) =>
    isRemovalUpdate(before.object as unknown as JsonObject, after) || isRelease?.(before, after) === true;
  return { limits: limits.store ?? {}, report, isRemoval, ...(onWriteProblem === undefined ? {} : { onWriteProblem }) };
}

function authenticatorFor(
  tokens: ServerExtensions["tokens"],
  authority: CertificateAuthority | undefined,
  clock: Clock,
): Authenticator {
  const authorities = authority === undefined ? [] : [authority.certificate];
  return requestAuthenticator({ tokens, authorities, clock, audiences: [audience] });
}

function reviewDeps(
  { tokens, authorizers }: ServerExtensions,
  authorizer: Authorizer,
  policies: PolicyIndex,
  clock: Clock,
): ReviewDeps {
  return {
    authorizer,
    policies,
    get hasUnlistedRules() {
      return authorizers.length > 0;
    },
    tokens: unionTokenAuthenticator(tokens),
    audiences: [audience],
    clock,
  };
}

function startControllers(registry: Registry, kinds: KindCatalog, report: (error: unknown) => void) {
  return [
    new GarbageCollector(registry, kinds, report),
    new NamespaceController(registry, kinds, report),
    new CrdController(registry, kinds, report),
    new RoleAggregator(registry, kinds, report),
    new EventExpiry(registry, kinds, report),
  ];
}

function namespaceLabels(store: ObjectStore, plane: string, name: string): Labels | undefined {
  const found = store.get({ plane, resource: "namespaces", namespace: "", name });
  return found === undefined ? undefined : (found.object.metadata.labels ?? {});
}
