import type { IncomingMessage } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import {
  createAuthority,
  issueServerCertificate,
} from "@milo-quota/apiserver/http/certificates/certificate-authority.ts";
import type { Body } from "../apiserver/test-server.ts";

const lifetime = { nowMs: Date.now(), lifetimeMs: 86_400_000 };

/** A foreign admission webhook that rejects objects of some names and does not answer for others. */
export class RejectingWebhook {
  readonly #authority = createAuthority("foreign webhook", lifetime);
  readonly #server: Server;

  constructor() {
    const names = { commonName: "hook", dnsNames: ["localhost"], ipAddresses: ["127.0.0.1"] };
    const { certificatePem, privateKeyPem } = issueServerCertificate(this.#authority, names, lifetime);
    this.#server = createServer({ cert: certificatePem, key: privateKeyPem }, async (request, response) => {
      const { uid, object } = (await bodyOf(request)).request;
      if (JSON.stringify(object).includes("never-answered")) return;
      const allowed = !object.metadata.name.startsWith("unwanted");
      const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ ...review, response: { uid, allowed, status: { message: "not this one" } } }));
    });
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  configuration(name: string, rule: { readonly apiGroups: readonly string[]; readonly resources: readonly string[] }) {
    const { port } = this.#server.address() as AddressInfo;
    const caBundle = Buffer.from(this.#authority.certificatePem).toString("base64");
    return {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name },
      webhooks: [
        {
          name: `${name}.example.com`,
          rules: [{ ...rule, apiVersions: ["*"], operations: ["CREATE"] }],
          clientConfig: { url: `https://127.0.0.1:${port}/`, caBundle },
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
          timeoutSeconds: 30,
        },
      ],
    };
  }
}

async function bodyOf(request: IncomingMessage): Promise<Body> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return JSON.parse(text);
}
