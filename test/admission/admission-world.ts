import { randomUUID } from "node:crypto";
import { type EmbeddedServer, rootPlane, startEmbedded } from "@milo-quota/apiserver/embedded-server.ts";
import type { AdmissionPlugin } from "@milo-quota/apiserver/registry/admission/admission-plugin.ts";
import { MemoryLog } from "@milo-quota/apiserver/storage/log/memory-log.ts";
import type { RecordLog } from "@milo-quota/apiserver/storage/log/record-log.ts";
import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import { crdOf } from "@milo-quota/kubernetes/schema/crd.ts";
import { quotaKinds } from "@milo-quota/quota/core/resources/kinds.ts";
import { systemNamespace } from "@milo-quota/quota/core/resources/well-known.ts";
import { QuotaSystem, type QuotaSystemOptions, systemUser } from "@milo-quota/quota/embedded/quota-system.ts";
import type { Runtime } from "@milo-quota/quota/views/runtime.ts";
import { namespacesType } from "./object-types.ts";
import { resolvePlanes, TestWorld } from "./test-world.ts";

export interface WorldOptions extends Pick<QuotaSystemOptions, "quota" | "waitMsMax" | "observer" | "streamObserver"> {
  /** Further admission plug-ins, which run after quota. */
  readonly plugins?: readonly AdmissionPlugin[];
  readonly log?: RecordLog;
  /** Control planes besides the root plane, which defines all kinds. */
  readonly planes?: readonly string[];
}

/** An API server with quota in its process. */
export class AdmissionWorld extends TestWorld {
  readonly runtime: Runtime;
  /** Added to the elapsed time that the system sees. Timers do not fire earlier. */
  skippedMs = 0;
  readonly #system: QuotaSystem;

  static async start(options: WorldOptions = {}): Promise<AdmissionWorld> {
    const server = await startEmbedded({
      log: options.log ?? new MemoryLog("turn"),
      clock: systemClock,
      tokens: [],
      resolvePlane: resolvePlanes(options.planes ?? []),
      definitionsFrom: (plane) => (plane === rootPlane ? undefined : rootPlane),
      report: (error) => world.reported.push(String(error)),
    });
    const world: AdmissionWorld = new AdmissionWorld(server, options);
    for (const plane of options.planes ?? []) await server.openPlane(plane);
    await world.create(namespacesType, { apiVersion: "v1", kind: "Namespace", metadata: { name: systemNamespace } });
    for (const definition of quotaKinds) await world.define(crdOf(definition), definition);
    await world.#system.start();
    server.extend({ plugins: [world.#system.plugin, ...(options.plugins ?? [])] });
    return world;
  }

  constructor(server: EmbeddedServer, options: WorldOptions) {
    super(server);
    const incarnation = randomUUID();
    this.runtime = {
      planes: this.planesFor(systemUser(incarnation)),
      clock: systemClock,
      elapsedMs: () => performance.now() + this.skippedMs,
      random: { fraction: Math.random, uuid: randomUUID },
      incarnation,
      report: (where, error) => this.reported.push(`${where}: ${(error as Error).message}`),
    };
    const { plugins: _plugins, log: _log, planes: _planes, ...given } = options;
    this.#system = new QuotaSystem({ ...given, secret: incarnation, server, runtime: this.runtime });
  }

  get health(): QuotaSystem["health"] {
    return this.#system.health;
  }

  async stop(): Promise<void> {
    await this.#system.stop();
    await this.server.stop();
  }
}
