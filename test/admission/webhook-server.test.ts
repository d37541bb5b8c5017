import { Agent, request } from "node:https";
import {
  createAuthority,
  issueServerCertificate,
} from "@milo-quota/apiserver/http/certificates/certificate-authority.ts";
import { failure } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { ObjectChange, Verdict } from "@milo-quota/quota/admission/object-change.ts";
import { WebhookServer } from "@milo-quota/quota/admission/webhook/webhook-server.ts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

const lifetime = { nowMs: Date.now(), lifetimeMs: 86_400_000 };
const authority = createAuthority("quota", lifetime);
const issue = () => {
  const names = { commonName: "quota", dnsNames: ["localhost"], ipAddresses: ["127.0.0.1"] };
  const { certificatePem, privateKeyPem } = issueServerCertificate(authority, names, lifetime);
  return { certificate: certificatePem, key: privateKeyPem };
};

let server: WebhookServer;
let port: number;
let agent: Agent;
let ready: boolean;
let requested: ObjectChange[];
let verdict: Verdict;
let reported: unknown[];
/** Responses wait for this. */
let mayAnswer: Promise<void>;

beforeEach(async () => {
  ready = true;
  requested = [];
  reported = [];
  mayAnswer = Promise.resolve();
  verdict = { allowed: true };
  agent = new Agent({ ca: authority.certificatePem, keepAlive: true });
  server = new WebhookServer({
    host: "127.0.0.1",
    port: 0,
    certificate: issue(),
    planeAt: (path) => ({ "/admit": "root", "/planes/p/admit": "p" })[path],
    isReady: () => ready,
    decideRemoval: async ({ name }) =>
      name === "kept" ? { allowed: false, status: failure("Forbidden", "it is in use") } : { allowed: true },
    decide: async (change) => {
      requested.push(change);
      await mayAnswer;
      if (change.name === "broken") throw new Error("a bug");
      change.warn("nearly used up");
      return verdict;
    },
    clientOf: () => {
      throw new Error("unexpected call");
    },
    limits: { bodyBytesMax: 2_000 },
    report: (_, error) => reported.push(error),
  });
  port = await server.start();
});

afterEach(async () => {
  agent.destroy();
  await server.stop();
});

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly type?: string;
  readonly body?: unknown;
}

function send({ method = "POST", path = "/admit", type = "application/json", body = "" }: Sent) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return new Promise<{ code: number; text: string }>((resolve, reject) => {
    const sent = request({ agent, host: "127.0.0.1", port, method, path, headers: { "Content-Type": type } }, (got) => {
      let received = "";
      got.on("data", (chunk) => {
        received += chunk;
      });
      got.on("end", () => resolve({ code: got.statusCode ?? 0, text: received }));
    });
    sent.on("error", reject);
    sent.end(text);
  });
}

const review = (over: object = {}, requestOver: object = {}) => ({
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: {
    uid: "review-1",
    kind: { group: "", version: "v1", kind: "ConfigMap" },
    resource: { group: "", version: "v1", resource: "configmaps" },
    name: "",
    namespace: "default",
    operation: "CREATE",
    userInfo: { username: "ada", uid: "7", groups: ["people"], extra: { team: ["red"] } },
    object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "made-up", namespace: "default", uid: "u" } },
    oldObject: null,
    dryRun: true,
    ...requestOver,
  },
  ...over,
});

describe("a review", () => {
  it("of a delete is answered by decideRemoval", async () => {
    const oldObject = { metadata: { name: "kept", namespace: "default" } };
    const { text } = await send({ body: review({}, { operation: "DELETE", object: null, oldObject }) });
    expect(JSON.parse(text).response).toMatchObject({ allowed: false, status: { message: "it is in use" } });
    const other = { metadata: { name: "other", namespace: "default" } };
    const { text: fine } = await send({ body: review({}, { operation: "DELETE", object: null, oldObject: other }) });
    expect(JSON.parse(fine).response).toMatchObject({ allowed: true });
  });

  it("is passed to admission and answered with warnings", async () => {
    const { code, text } = await send({ path: "/planes/p/admit?timeout=5s", body: review() });
    expect(code).toBe(200);
    expect(JSON.parse(text)).toEqual({
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      response: { uid: "review-1", allowed: true, warnings: ["nearly used up"] },
    });
    expect(requested).toMatchObject([
      {
        operation: "CREATE",
        plane: "p",
        kind: { group: "", version: "v1", kind: "ConfigMap", plural: "configmaps", scope: "Namespaced" },
        namespace: "default",
        name: "made-up",
        subresource: "",
        userInfo: { username: "ada", uid: "7", groups: ["people"], extra: { team: ["red"] } },
        dryRun: true,
        oldObject: undefined,
        waitMsMax: 3_000,
      },
    ]);
  });

  it("of a rejected object has the whole status", async () => {
    const status = failure("Forbidden", "not enough", { causes: [{ reason: "QuotaExceeded", field: "a/b" }] });
    verdict = { allowed: false, status };
    const { code, text } = await send({ body: review() });
    expect(code).toBe(200);
    expect(JSON.parse(text).response).toMatchObject({ allowed: false, status });
  });

  const passed: Record<string, object> = {
    "of a delete is allowed": { operation: "DELETE", object: null },
    "of a CONNECT is allowed": { operation: "CONNECT" },
  };
  for (const [name, over] of Object.entries(passed)) {
    it(name, async () => {
      const { text } = await send({ body: review({}, over) });
      expect(JSON.parse(text).response).toEqual({ uid: "review-1", allowed: true });
      expect(requested).toEqual([]);
    });
  }

  const scopes: Record<string, [over: object, scope: string, namespace: string]> = {
    "a namespace, although the review names it as its own namespace": [
      { resource: { group: "", version: "v1", resource: "namespaces" }, namespace: "made-up" },
      "Cluster",
      "",
    ],
    "a cluster-scoped object": [{ namespace: undefined }, "Cluster", ""],
    "a namespaced object": [{}, "Namespaced", "default"],
  };
  for (const [name, [over, scope, namespace]] of Object.entries(scopes)) {
    it(`detects the scope of ${name}`, async () => {
      await send({ body: review({}, over) });
      expect(requested).toMatchObject([{ kind: { scope }, namespace }]);
    });
  }
});

describe("a request that is not a review", () => {
  const cases: Record<string, [Sent, code: number, text: RegExp]> = {
    "is not found at another path": [{ path: "/", body: review() }, 404, /unknown path \//],
    "is rejected with another method": [{ method: "GET" }, 405, /by POST/],
    "is rejected with another content type": [{ type: "text/plain", body: review() }, 415, /application\/json/],
    "is rejected if it is too large": [{ body: review({ filler: "x".repeat(2_000) }) }, 413, /at most 2000 bytes/],
    "is rejected if it is not JSON": [{ body: "{" }, 400, /not JSON/],
    "is rejected if it has another kind": [{ body: { kind: "Pod" } }, 400, /not an AdmissionReview/],
    "is rejected in another version": [
      { body: review({ apiVersion: "admission.k8s.io/v1beta1" }) },
      400,
      /v1beta1: must be admission.k8s.io\/v1/,
    ],
    "is rejected without a request": [{ body: review({ request: 1 }) }, 400, /has no request/],
    "is rejected without a uid": [{ body: review({}, { uid: "" }) }, 400, /has no uid/],
  };
  for (const [name, [sent, code, text]] of Object.entries(cases)) {
    it(name, async () => {
      expect(await send(sent)).toEqual({ code, text: expect.stringMatching(text) });
      expect(requested).toEqual([]);
      expect(reported).toEqual([]);
    });
  }
});

it("answers an unexpected error with 500 and reports it, so that the failure policy of the API server applies", async () => {
  const body = review({}, { object: { metadata: { name: "broken" } } });
  expect(await send({ body })).toEqual({ code: 500, text: "internal error\n" });
  expect(reported).toEqual([new Error("a bug")]);
});

it("serves /healthz and /readyz", async () => {
  expect(await send({ method: "GET", path: "/healthz" })).toEqual({ code: 200, text: "ok\n" });
  expect((await send({ method: "GET", path: "/readyz" })).code).toBe(200);
  ready = false;
  expect((await send({ method: "GET", path: "/readyz" })).code).toBe(503);
  expect((await send({ method: "GET", path: "/healthz" })).code).toBe(200);
});

it("replaces its certificate without a restart", async () => {
  expect((await send({ method: "GET", path: "/healthz" })).code).toBe(200);
  server.setCertificate(issue());
  agent.destroy();
  agent = new Agent({ ca: authority.certificatePem });
  expect((await send({ method: "GET", path: "/healthz" })).code).toBe(200);
});

it("finishes requests in flight when it is stopped", async () => {
  let release = (): void => undefined;
  mayAnswer = new Promise((resolve) => {
    release = resolve;
  });
  const answer = send({ body: review() });
  await vi.waitFor(() => expect(requested).toHaveLength(1));
  const stopped = server.stop();
  release();
  expect((await answer).code).toBe(200);
  await stopped;
  await expect(send({ method: "GET", path: "/healthz" })).rejects.toThrow();
});
