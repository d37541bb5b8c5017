import { sharedAbort } from "@milo-quota/kubernetes/client/shared-abort.ts";
import { untilAborted } from "@milo-quota/kubernetes/client/until-aborted.ts";
import { healthOf, type InformerHealth } from "@milo-quota/kubernetes/client/watch/informer-health.ts";
import { claimGuard } from "./claim-guard.ts";
import { MembershipController } from "./controllers/membership-controller.ts";
import { OrganizationController } from "./controllers/organization-controller.ts";
import { ProjectController } from "./controllers/project-controller.ts";
import { membershipAuthorizer } from "./membership-authorizer.ts";
import { tenantPlanes } from "./plane-resolver.ts";
import type { TenancyRuntime } from "./tenancy-runtime.ts";
import { TenantDirectory } from "./tenant-directory.ts";
import { createTenantViews, type TenantViews } from "./tenant-views.ts";
import { UserTokens } from "./user-tokens.ts";

interface Controller {
  stop(): Promise<void>;
}

/**
 * Tenants of a server in this process. The server resolves paths and judges requests by it, and has to serve the kinds of
 * tenants before it starts.
 */
export class Tenancy {
  readonly #runtime: TenancyRuntime;
  readonly #views: TenantViews;
  readonly #directory: TenantDirectory;
  readonly #stopped = sharedAbort();
  #running: Promise<void> | undefined;
  #controllers: readonly Controller[] = [];
  readonly tokens: UserTokens;
  /** Which plane a path leads into. */
  readonly resolvePlane: ReturnType<typeof tenantPlanes>;
  readonly authorizer: ReturnType<typeof membershipAuthorizer>;
  /** To be asked about every change, along with the authorizer: what members may do depends on both. */
  readonly guard: ReturnType<typeof claimGuard>;

  constructor(runtime: TenancyRuntime) {
    this.#runtime = runtime;
    this.#views = createTenantViews(runtime);
    this.#directory = new TenantDirectory(this.#views);
    this.tokens = new UserTokens(runtime);
    this.resolvePlane = tenantPlanes(this.#directory);
    this.authorizer = membershipAuthorizer(this.#directory);
    this.guard = claimGuard(this.#directory);
  }

  /** Resolves when all tenants are known, and their control planes that were made before can be used. */
  get ready(): Promise<void> {
    return Promise.all([this.#directory.ready, this.tokens.ready]).then(() => undefined);
  }

  /** How well tenants are seen, for those who look from outside. */
  get informers(): readonly InformerHealth[] {
    return healthOf({ ...this.#views }, "tenancy-");
  }

  start(): void {
    for (const view of Object.values(this.#views)) view.start();
    this.tokens.start();
    this.#running ??= this.#run(this.#stopped.signal);
  }

  /** Finishes what is under way. */
  async stop(): Promise<void> {
    this.#stopped.abort(new Error("tenancy was stopped"));
    await this.#running;
    for (const controller of this.#controllers) await controller.stop();
    for (const view of [...Object.values(this.#views), this.tokens]) await view.stop();
  }

  async #run(signal: AbortSignal): Promise<void> {
    try {
      await untilAborted(this.ready, signal);
    } catch {
      return; // it was stopped before it began
    }
    this.#controllers = [
      new OrganizationController(this.#runtime, this.#views),
      new ProjectController(this.#runtime, this.#views, this.#directory),
      new MembershipController(this.#runtime, this.#views),
    ];
  }
}
