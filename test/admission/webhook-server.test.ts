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
let asked: ObjectChange[];
let verdict: Verdict;
let reported: unknown[];
/** Nobody is answered before. */
let mayAnswer: Promise<void>;

beforeEach(async () => {
  ready = true;
  asked = [];
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
      asked.push(change);
      await mayAnswer;
      if (change.name === "broken") throw new Error("a mistake of ours");
      change.warn("nearly used up");
      return verdict;
    },
    clientOf: () => {
      throw new Error("nobody is asked in here");
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
      let heard = "";
      got.on("data", (chunk) => {
        heard += chunk;
      });
      got.on("end", () => resolve({ code: got.statusCode ?? 0, text: heard }));
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
  it("of a deletion is answered by those who have a say in it", async () => {
    const oldObject = { metadata: { name: "kept", namespace: "default" } };
    const { text } = await send({ body: review({}, { operation: "DELETE", object: null, oldObject }) });
    expect(JSON.parse(text).response).toMatchObject({ allowed: false, status: { message: "it is in use" } });
    const other = { metadata: { name: "other", namespace: "default" } };
    const { text: fine } = await send({ body: review({}, { operation: "DELETE", object: null, oldObject: other }) });
    expect(JSON.parse(fine).response).toMatchObject({ allowed: true });
  });

  it("is handed on as it is meant, and answered with warnings", async () => {
    const { code, text } = await send({ path: "/planes/p/admit?timeout=5s", body: review() });
    expect(code).toBe(200);
    expect(JSON.parse(text)).toEqual({
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      response: { uid: "review-1", allowed: true, warnings: ["nearly used up"] },
    });
    expect(asked).toMatchObject([
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

  it("of something refused carries the whole answer", async () => {
    const status = failure("Forbidden", "not enough", { causes: [{ reason: "QuotaExceeded", field: "a/b" }] });
    verdict = { allowed: false, status };
    const { code, text } = await send({ body: review() });
    expect(code).toBe(200);
    expect(JSON.parse(text).response).toMatchObject({ allowed: false, status });
  });

  const passed: Record<string, object> = {
    "of a deletion is let through": { operation: "DELETE", object: null },
    "of a connection is let through": { operation: "CONNECT" },
  };
  for (const [name, over] of Object.entries(passed)) {
    it(name, async () => {
      const { text } = await send({ body: review({}, over) });
      expect(JSON.parse(text).response).toEqual({ uid: "review-1", allowed: true });
      expect(asked).toEqual([]);
    });
  }

  const scopes: Record<string, [over: object, scope: string, namespace: string]> = {
    "a namespace, which counts as being in itself": [
      { resource: { group: "", version: "v1", resource: "namespaces" }, namespace: "made-up" },
      "Cluster",
      "",
    ],
    "something in no namespace": [{ namespace: undefined }, "Cluster", ""],
    "something in a namespace": [{}, "Namespaced", "default"],
  };
  for (const [name, [over, scope, namespace]] of Object.entries(scopes)) {
    it(`knows the scope of ${name}`, async () => {
      await send({ body: review({}, over) });
      expect(asked).toMatchObject([{ kind: { scope }, namespace }]);
    });
  }
});

describe("what is no review", () => {
  const cases: Record<string, [Sent, code: number, text: RegExp]> = {
    "is not found elsewhere": [{ path: "/", body: review() }, 404, /nothing is answered at \//],
    "is not got": [{ method: "GET" }, 405, /posted/],
    "is not taken in another format": [{ type: "text/plain", body: review() }, 415, /application\/json/],
    "is not taken when it is too large": [{ body: review({ filler: "x".repeat(2_000) }) }, 413, /at most 2000 bytes/],
    "is not taken when it is no JSON": [{ body: "{" }, 400, /not JSON/],
    "is not taken when it is something else": [{ body: { kind: "Pod" } }, 400, /no AdmissionReview/],
    "is not taken in another version": [
      { body: review({ apiVersion: "admission.k8s.io/v1beta1" }) },
      400,
      /v1beta1, where admission.k8s.io\/v1/,
    ],
    "is not taken without a request": [{ body: review({ request: 1 }) }, 400, /without a request/],
    "is not taken without a uid": [{ body: review({}, { uid: "" }) }, 400, /without a uid/],
  };
  for (const [name, [sent, code, text]] of Object.entries(cases)) {
    it(name, async () => {
      expect(await send(sent)).toEqual({ code, text: expect.stringMatching(text) });
      expect(asked).toEqual([]);
      expect(reported).toEqual([]);
    });
  }
});

it("a mistake of ours is answered with 500, and reported: whoever asks has a failure policy", async () => {
  const body = review({}, { object: { metadata: { name: "broken" } } });
  expect(await send({ body })).toEqual({ code: 500, text: "internal error\n" });
  expect(reported).toEqual([new Error("a mistake of ours")]);
});

it("tells whether it lives, and whether it is ready", async () => {
  expect(await send({ method: "GET", path: "/healthz" })).toEqual({ code: 200, text: "ok\n" });
  expect((await send({ method: "GET", path: "/readyz" })).code).toBe(200);
  ready = false;
  expect((await send({ method: "GET", path: "/readyz" })).code).toBe(503);
  expect((await send({ method: "GET", path: "/healthz" })).code).toBe(200);
});

it("takes another certificate without being stopped", async () => {
  expect((await send({ method: "GET", path: "/healthz" })).code).toBe(200);
  server.renew(issue());
  agent.destroy();
  agent = new Agent({ ca: authority.certificatePem });
  expect((await send({ method: "GET", path: "/healthz" })).code).toBe(200);
});

it("finishes what is under way when it is stopped", async () => {
  let release = (): void => undefined;
  mayAnswer = new Promise((resolve) => {
    release = resolve;
  });
  const answer = send({ body: review() });
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  const stopped = server.stop();
  release();
  expect((await answer).code).toBe(200);
  await stopped;
  await expect(send({ method: "GET", path: "/healthz" })).rejects.toThrow();
});
