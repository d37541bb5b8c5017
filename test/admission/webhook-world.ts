import { randomUUID } from "node:crypto";
import { type EmbeddedServer, startEmbedded } from "@milo-quota/apiserver/embedded-server.ts";
import {
  createAuthority,
  issueServerCertificate,
} from "@milo-quota/apiserver/http/certificates/certificate-authority.ts";
import { MemoryLog } from "@milo-quota/apiserver/storage/log/memory-log.ts";
import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import { directTransport } from "@milo-quota/kubernetes/client/transport/direct-transport.ts";
import { crdOf } from "@milo-quota/kubernetes/schema/crd.ts";
import { Admission } from "@milo-quota/quota/admission/admission.ts";
import { WebhookServer } from "@milo-quota/quota/admission/webhook/webhook-server.ts";
import { Controllers } from "@milo-quota/quota/controllers/controllers.ts";
import { quotaKinds } from "@milo-quota/quota/core/resources/kinds.ts";
import { planesOfServer } from "@milo-quota/quota/views/planes-of-server.ts";
import type { Runtime } from "@milo-quota/quota/views/runtime.ts";
import { layout, systemUser, TestWorld } from "./test-world.ts";

const lifetime = { nowMs: Date.now(), lifetimeMs: 86_400_000 };

/** An API server with admission webhooks: several replicas, each with controllers under leader election. */
export class WebhookWorld extends TestWorld {
  readonly #stops: (() => Promise<void>)[] = [];

  static async start(replicas: number): Promise<WebhookWorld> {
    const server = await startEmbedded({
      log: new MemoryLog(),
      clock: systemClock,
      tokens: [],
      report: (error) => world.reported.push(String(error)),
    });
    const world: WebhookWorld = new WebhookWorld(server);
    for (const definition of quotaKinds) await world.define(crdOf(definition), definition);
    for (let at = 0; at < replicas; at += 1) await world.#startReplica(at);
    return world;
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0).reverse()) await stop();
    await this.server.stop();
  }

  async #startReplica(at: number): Promise<void> {
    const runtime = runtimeOn(this.server, (where, error) => {
      this.reported.push(`replica ${at}, ${where}: ${(error as Error).message}`);
    });
    const { planes, clock, random, report } = runtime;
    const controllers = new Controllers({ runtime, leadership: "elected" });
    const admission = new Admission({
      planes,
      clock,
      random,
      report,
    });
    controllers.start();
    admission.start();
    await admission.ready;
    const stop = await this.#startWebhook(admission, planes, report);
    this.#stops.push(async () => {
      await stop();
      await admission.finish();
      await controllers.stop();
      await admission.stop();
    });
  }

  /** Starts the webhook server of a replica. `routeTo` selects the replica that the API server calls. */
  async #startWebhook(admission: Admission, planes: Runtime["planes"], report: Runtime["report"]) {
    const authority = createAuthority("quota", lifetime);
    const names = { commonName: "quota", dnsNames: ["localhost"], ipAddresses: ["127.0.0.1"] };
    const { certificatePem, privateKeyPem } = issueServerCertificate(authority, names, lifetime);
    const server = new WebhookServer({
      host: "127.0.0.1",
      port: 0,
      certificate: { certificate: certificatePem, key: privateKeyPem },
      planeAt: (path) => (path === "/admit" ? "root" : undefined),
      isReady: () => admission.isReady,
      decide: admission.decide,
      decideRemoval: admission.decideRemoval,
      clientOf: (plane) => planes.client(plane),
      report,
    });
    const port = await server.start();
    const caBundle = Buffer.from(authority.certificatePem).toString("base64");
    this.endpoints.push({ url: `https://127.0.0.1:${port}/admit`, caBundle });
    return () => server.stop();
  }

  readonly endpoints: { readonly url: string; readonly caBundle: string }[] = [];

  /** Makes the API server call that replica for these kinds and for the quota kinds. */
  async routeTo(replica: number, kinds: readonly { readonly group: string; readonly resources: readonly string[] }[]) {
    const name = "milo-quota";
    const rules = [...kinds, { group: "quota.miloapis.com", resources: ["*"] }].map(({ group, resources }) => ({
      apiGroups: [group],
      apiVersions: ["*"],
      operations: ["CREATE", "UPDATE"],
      resources,
    }));
    const path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
    const body = {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name },
      webhooks: [
        {
          name: "quota.miloapis.com",
          rules,
          clientConfig: this.endpoints[replica],
          admissionReviewVersions: ["v1"],
          sideEffects: "NoneOnDryRun",
          failurePolicy: "Fail",
          matchPolicy: "Equivalent",
          timeoutSeconds: 30,
        },
      ],
    };
    await this.request({ method: "DELETE", path: `${path}/${name}` });
    const { code, message } = await this.request({ method: "POST", path, body });
    if (code !== 201) throw new Error(message);
  }
}

function runtimeOn(server: EmbeddedServer, report: Runtime["report"]): Runtime {
  const transport = directTransport((request) => server.api.handle(request), systemUser);
  return {
    planes: planesOfServer(transport, layout),
    clock: systemClock,
    elapsedMs: () => performance.now(),
    random: { fraction: Math.random, uuid: randomUUID },
    incarnation: randomUUID(),
    report,
  };
}
