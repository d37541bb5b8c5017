import { abortable } from "@milo-quota/kubernetes/client/abortable.ts";
import { lightAbortController } from "@milo-quota/kubernetes/client/light-abort-controller.ts";
import { healthOf, type InformerHealth } from "@milo-quota/kubernetes/client/watch/informer-health.ts";
import { claimGuard } from "./claim-guard.ts";
import { MembershipController } from "./controllers/membership-controller.ts";
import { OrganizationController } from "./controllers/organization-controller.ts";
import { ProjectController } from "./controllers/project-controller.ts";
import { membershipAuthorizer } from "./membership-authorizer.ts";
import { planeResolver } from "./plane-resolver.ts";
import type { TenancyRuntime } from "./tenancy-runtime.ts";
import { TenantDirectory } from "./tenant-directory.ts";
import { createTenantViews, type TenantViews } from "./tenant-views.ts";
import { UserTokens } from "./user-tokens.ts";

interface Controller {
  stop(): Promise<void>;
}

/**
 * Tenants of the API server in this process, which resolves paths and authorizes requests by it. The server must serve the
 * kinds of tenants before this starts.
 */
export class Tenancy {
  readonly #runtime: TenancyRuntime;
  readonly #views: TenantViews;
  readonly #directory: TenantDirectory;
  readonly #stopped = lightAbortController();
  #running: Promise<void> | undefined;
  #controllers: readonly Controller[] = [];
  readonly tokens: UserTokens;
  readonly resolvePlane: ReturnType<typeof planeResolver>;
  readonly authorizer: ReturnType<typeof membershipAuthorizer>;
  /** Must be installed together with the authorizer: the rights of members depend on both. */
  readonly guard: ReturnType<typeof claimGuard>;

  constructor(runtime: TenancyRuntime) {
    this.#runtime = runtime;
    this.#views = createTenantViews(runtime);
    this.#directory = new TenantDirectory(this.#views);
    this.tokens = new UserTokens(runtime);
    this.resolvePlane = planeResolver(this.#directory);
    this.authorizer = membershipAuthorizer(this.#directory);
    this.guard = claimGuard(this.#directory);
  }

  /** Resolves when all tenants are loaded, so that existing control planes can be used. */
  get ready(): Promise<void> {
    return Promise.all([this.#directory.ready, this.tokens.ready]).then(() => undefined);
  }

  get informers(): readonly InformerHealth[] {
    return healthOf({ ...this.#views }, "tenancy-");
  }

  start(): void {
    for (const view of Object.values(this.#views)) view.start();
    this.tokens.start();
    this.#running ??= this.#run(this.#stopped.signal);
  }

  /** Waits for reconciles in progress. */
  async stop(): Promise<void> {
    this.#stopped.abort(new Error("tenancy was stopped"));
    await this.#running;
    for (const controller of this.#controllers) await controller.stop();
    for (const view of [...Object.values(this.#views), this.tokens]) await view.stop();
  }

  async #run(signal: AbortSignal): Promise<void> {
    try {
      await abortable(this.ready, signal);
    } catch {
      return; // stopped before it was ready
    }
    this.#controllers = [
      new OrganizationController(this.#runtime, this.#views),
      new ProjectController(this.#runtime, this.#views, this.#directory),
      new MembershipController(this.#runtime, this.#views),
    ];
  }
}
