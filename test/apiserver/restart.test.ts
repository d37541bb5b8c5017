import { MemoryLog } from "@milo-quota/apiserver/storage/log/memory-log.ts";
import { expect, it } from "vitest";
import { TestServer } from "./test-server.ts";

const webhooks = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";

/** A webhook for all requests whose server does not answer. */
const unresponsiveWebhook = {
  metadata: { name: "unresponsive" },
  webhooks: [
    {
      name: "unresponsive.example.com",
      clientConfig: { url: "https://127.0.0.1:1/unresponsive" },
      rules: [{ apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"] }],
      failurePolicy: "Fail",
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
    },
  ],
};

it("a server restarts despite a failing webhook and recreates deleted bootstrap objects", async () => {
  const log = new MemoryLog();
  const first = await TestServer.start({ log });
  const role = "/apis/rbac.authorization.k8s.io/v1/clusterroles/view";
  expect((await first.remove(role)).code).toBe(200);
  expect((await first.create(webhooks, unresponsiveWebhook)).code).toBe(201);
  await first.stop();
  const second = await TestServer.start({ log });
  expect((await second.get(role)).code).toBe(200);
  expect((await second.create("/api/v1/namespaces/default/configmaps", { metadata: { name: "one" } })).code).toBe(500);
  await second.stop();
});
