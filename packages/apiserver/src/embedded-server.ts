import { randomUUID } from "node:crypto";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import type { Labels } from "@milo-quota/kubernetes/protocol/selectors/label-selector.ts";
import { DefinitionKeeper } from "./housekeeping/definition-keeper.ts";
import { EventExpiry } from "./housekeeping/event-expiry.ts";
import { GarbageCollector } from "./housekeeping/garbage-collector.ts";
import { NamespaceEmptier } from "./housekeeping/namespace-emptier.ts";
import { PlaneCloser } from "./housekeeping/plane-closer.ts";
import { RoleAggregator } from "./housekeeping/role-aggregator.ts";
import { requestAuthenticator } from "./http/access/authentication/request-authenticator.ts";
import { firstToKnow } from "./http/access/authentication/token-authenticator.ts";
import { type Authorizer, allowMasters, firstOpinionOf } from "./http/access/authorizer.ts";
import { defaultFairQueueLimits, FairQueue, type FairQueueLimits } from "./http/access/fair-queue.ts";
import { escalationCheck } from "./http/access/rbac/escalation-check.ts";
import { rbacAuthorizer } from "./http/access/rbac/rbac-authorizer.ts";
import { storedRbacObjects } from "./http/access/rbac/rbac-objects.ts";
import { PolicyIndex } from "./http/access/rbac/rules-by-subject.ts";
import type { ReviewDeps } from "./http/access/reviews/review-context.ts";
import { ApiServer, type OtherPaths } from "./http/api-server.ts";
import type { CertificateAuthority } from "./http/certificates/certificate-authority.ts";
import { observed, type RequestHandler, type RequestObserver } from "./http/observed-api.ts";
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
import { kindsOf } from "./registry/crd/objects/custom-kind.ts";
import { type DefinitionsFrom, KindCatalog } from "./registry/kinds/kind-catalog.ts";
import type { Random } from "./registry/metadata/object-name.ts";
import type { Registry } from "./registry/registry.ts";
import { removeStored } from "./registry/store-change.ts";
import { type ServerExtension, ServerExtensions } from "./server-extensions.ts";
import type { RecordLog } from "./storage/log/record-log.ts";
import type { ObjectStore } from "./storage/object-store.ts";
import { openStore } from "./storage/store.ts";
import type { StoreLimits } from "./storage/store-limits.ts";
import type { StoredObject } from "./storage/stored-object.ts";

export interface EmbeddedOptions extends ServerExtension {
  readonly log: RecordLog;
  readonly clock: Clock;
  readonly random?: Random;
  /** Whose client certificates are believed. */
  readonly authority?: CertificateAuthority;
  /** Takes what webhooks want to have noted about a request. */
  readonly annotate?: (request: AdmissionRequest, key: string, value: string) => void;
  /** A plane whose definitions hold in this one as well; its own of the same name stand in front of them. */
  readonly definitionsFrom?: DefinitionsFrom;
  /** Paths that others answer. */
  readonly otherPaths?: readonly OtherPaths[];
  /** Those who count. */
  readonly requestObserver?: RequestObserver;
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
  readonly api: RequestHandler;
  readonly registry: Registry;
  readonly kinds: KindCatalog;
  readonly watches: OpenWatches;
  /** For parts that need the server to be built: to be called before the server listens. */
  extend(extension: ServerExtension): void;
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
  const extensions = new ServerExtensions(rootPlane);
  const authorizer = firstOpinionOf([allowMasters, rbacAuthorizer(policies), firstOpinionOf(extensions.authorizers)]);
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
    authenticator: requestAuthenticator({
      tokens,
      authorities: options.authority === undefined ? [] : [options.authority.certificate],
      clock,
      audiences: [audience],
    }),
    authorizer,
    queue: new FairQueue({ ...defaultFairQueueLimits, ...limits.queue }, clock),
    reviews: reviewPorts(extensions, authorizer, policies, clock),
    otherPaths: [openApiPaths(kinds), serverPaths(kinds, version, () => store.fault), ...(options.otherPaths ?? [])],
    watches,
    lines: new EventLines(),
    clock,
    report,
  });
  const told = options.requestObserver;
  const api: RequestHandler = told === undefined ? server : observed(server, { kinds, resolvePlane, clock, told });
  const openPlane = async (plane: string): Promise<void> => {
    await closer.closed(plane);
    await bootstrapPlane(registry, kinds, plane, new AbortController().signal);
  };
  await openPlane(rootPlane);
  const parts = [watches, closer, ...housekeepers(registry, kinds, report), kinds, policies, caller];
  return {
    api,
    registry,
    kinds,
    watches,
    extend: (extension) => extensions.add(extension),
    openPlane,
    closePlane: async (plane) => {
      if (plane === rootPlane) throw new Error("the root cannot be closed");
      await closer.close(plane);
    },
    stop: async () => {
      for (const part of parts) part.stop();
      await store.close();
    },
  };
}

function reviewPorts(
  { tokens, authorizers }: ServerExtensions,
  authorizer: Authorizer,
  policies: PolicyIndex,
  clock: Clock,
): ReviewDeps {
  return {
    authorizer,
    policies,
    get hasUnlistedRights() {
      return authorizers.length > 0;
    },
    tokens: firstToKnow(tokens),
    audiences: [audience],
    clock,
  };
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
