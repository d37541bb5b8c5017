import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAuthority, issueServerCertificate } from "../certificates/certificate-authority.ts";
import { HttpsWebhookCaller } from "./https-webhook-caller.ts";
import type { WebhookAddress } from "./webhook.ts";
import { CallFailed } from "./webhook-caller.ts";

const lifetime = { nowMs: Date.now(), lifetimeMs: 86_400_000 };
const authority = createAuthority("hooks", lifetime);
const stranger = createAuthority("stranger", lifetime);
const names = { commonName: "hook", dnsNames: ["localhost", "svc.ns.svc"], ipAddresses: ["127.0.0.1"] };
const certificate = issueServerCertificate(authority, names, lifetime);
const never = new AbortController().signal;

interface Reply {
  readonly code?: number;
  readonly type?: string;
  readonly body?: string;
}

const json = (value: unknown): string => JSON.stringify(value);
const replies: Record<string, Reply> = {
  "/fine": { body: json({ response: { allowed: true } }) },
  "/text": { type: "text/plain", body: json({ a: 1 }) },
  "/empty": { body: "" },
  "/notjson": { body: "hello" },
  "/status": {
    code: 500,
    body: json({ kind: "Status", apiVersion: "v1", status: "Failure", message: "my status", code: 500 }),
  },
  "/302": { code: 302, body: "x" },
  "/400": { code: 400, body: "x" },
  "/401": { code: 401, body: "x" },
  "/403": { code: 403, body: "forb" },
  "/404": { code: 404, body: "x" },
  "/418": { code: 418, body: "x" },
  "/429": { code: 429, body: "x" },
  "/500": { code: 500, type: "text/plain", body: "boom" },
  "/500-empty": { code: 500, body: "" },
  "/503": { code: 503, body: "x" },
  "/504": { code: 504, body: "x" },
  "/huge": { body: `"${"x".repeat(17 * 1024 * 1024)}"` },
};

let server: Server;
let port = 0;
let connections = 0;
let lastRequest: { url: string; headers: NodeJS.Dict<string | string[]>; body: unknown } | undefined;
/** Resolves when a request for `/hang` has arrived. */
let hanging: () => void = () => undefined;

beforeAll(async () => {
  server = createServer({ cert: certificate.certificatePem, key: certificate.privateKeyPem }, (request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      lastRequest = { url: request.url ?? "", headers: request.headers, body: JSON.parse(text) };
      const path = new URL(request.url ?? "", "https://x").pathname;
      if (path === "/hang") return hanging();
      if (path === "/drop") return request.socket.destroy();
      const { code = 200, type = "application/json", body = "" } = replies[path] ?? { code: 404 };
      response.writeHead(code, { "Content-Type": type });
      response.end(body);
    });
  });
  server.on("secureConnection", () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** A clock whose timers fire on demand. */
function handClock() {
  const timers = new Set<() => void>();
  return {
    now: () => 0,
    after: (_: number, call: () => void) => {
      timers.add(call);
      return { stop: () => timers.delete(call) };
    },
    fire: () => [...timers].map((call) => call()),
    timers,
  };
}

const at = (path: string, host = "127.0.0.1"): WebhookAddress => ({
  kind: "url",
  url: `https://${host}:${port}${path}`,
  caBundle: authority.certificatePem,
});

async function answerFrom(
  address: WebhookAddress,
  caller = new HttpsWebhookCaller({ clock: handClock() }),
): Promise<unknown> {
  try {
    return await caller.call({ address, review: { kind: "AdmissionReview" }, timeoutSeconds: 1 }, never);
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    return error.message.replaceAll(String(port), "PORT");
  } finally {
    caller.stop();
  }
}

describe("a webhook call", () => {
  it("sends the review as Kubernetes does, and returns the response", async () => {
    expect(await answerFrom(at("/fine"))).toEqual({ response: { allowed: true } });
    expect(lastRequest).toMatchObject({
      url: "/fine?timeout=1s",
      body: { kind: "AdmissionReview" },
      headers: {
        host: `127.0.0.1:${port}`,
        accept: "application/json, */*",
        "content-type": "application/json",
        "user-agent": "kube-apiserver-admission",
      },
    });
  });

  const answers: Record<string, unknown> = {
    "/text": { a: 1 },
    "/empty": "0-length response with status code: 200 and content type: application/json",
    "/notjson": "couldn't get version/kind; json parse error: the response is not JSON",
    "/status": "my status",
    "/302": "the server responded with the status code 302 but did not return more information",
    "/400": "the server rejected our request for an unknown reason",
    "/401": "the server has asked for the client to provide credentials",
    "/403": "forb",
    "/404": "the server could not find the requested resource",
    "/418": "the server responded with the status code 418 but did not return more information",
    "/429": "the server has received too many requests and has asked us to try again later",
    "/500": 'an error on the server ("boom") has prevented the request from succeeding',
    "/500-empty": 'an error on the server ("unknown") has prevented the request from succeeding',
    "/503": "the server is currently unable to handle the request",
    "/504": "the server was unable to return a response in the time allotted, but may still be processing the request",
    "/huge": "the response is larger than 16777216 bytes",
    "/drop": 'Post "https://127.0.0.1:PORT/drop?timeout=1s": EOF',
  };
  for (const [path, answer] of Object.entries(answers)) {
    it(`of ${path} ends as in Kubernetes`, async () => expect(await answerFrom(at(path))).toEqual(answer));
  }

  const unverified = "tls: failed to verify certificate: x509: certificate signed by unknown authority";
  const addresses: Record<string, [address: () => WebhookAddress, answer: unknown]> = {
    "by name": [() => at("/fine", "localhost"), { response: { allowed: true } }],
    "with another authority": [
      () => ({ ...at("/fine"), caBundle: stranger.certificatePem }) as WebhookAddress,
      `Post "https://127.0.0.1:PORT/fine?timeout=1s": ${unverified}`,
    ],
    "with the default authorities": [
      () => ({ ...at("/fine"), caBundle: undefined }) as WebhookAddress,
      `Post "https://127.0.0.1:PORT/fine?timeout=1s": ${unverified}`,
    ],
    "without a listening server": [
      () => ({ kind: "url", url: "https://127.0.0.1:9/x", caBundle: undefined }),
      'Post "https://127.0.0.1:9/x?timeout=1s": dial tcp 127.0.0.1:9: connect: connection refused',
    ],
    "without encryption": [
      () => ({ kind: "url", url: "http://127.0.0.1/x", caBundle: undefined }),
      "'https' is the only allowed URL scheme, got http:",
    ],
    "that is invalid": [() => ({ kind: "url", url: "https://", caBundle: undefined }), "Unparsable URL: https://"],
    "that is missing": [() => ({ kind: "nowhere" }), "webhook configuration must have either service or URL"],
  };
  for (const [name, [address, answer]] of Object.entries(addresses)) {
    it(`to an address ${name}`, async () => expect(await answerFrom(address())).toEqual(answer));
  }

  it("to a server with another name is rejected", async () => {
    const other = issueServerCertificate(authority, { ...names, dnsNames: ["elsewhere"], ipAddresses: [] }, lifetime);
    const impostor = createServer({ cert: other.certificatePem, key: other.privateKeyPem }, (_, response) =>
      response.end("{}"),
    );
    await new Promise<void>((resolve) => impostor.listen(0, "127.0.0.1", resolve));
    const url = `https://127.0.0.1:${(impostor.address() as AddressInfo).port}/`;
    const answer = await answerFrom({ kind: "url", url, caBundle: authority.certificatePem });
    expect(answer).toMatch(/tls: failed to verify certificate: x509: .*127\.0\.0\.1/);
    impostor.closeAllConnections();
    await new Promise((resolve) => impostor.close(resolve));
  });
});

describe("a service", () => {
  const service = { namespace: "ns", name: "svc", port: 443, path: "/fine" };
  const address: WebhookAddress = { kind: "service", service, caBundle: authority.certificatePem };

  it("is resolved to an address, and its certificate must match its name", async () => {
    const wantedServices: unknown[] = [];
    const resolveService = async (wanted: unknown) => {
      wantedServices.push(wanted);
      return { host: "127.0.0.1", port };
    };
    const caller = new HttpsWebhookCaller({ clock: handClock(), resolveService });
    expect(await answerFrom(address, caller)).toEqual({ response: { allowed: true } });
    expect(wantedServices).toEqual([service]);
    const other: WebhookAddress = { ...address, service: { ...service, name: "other" } };
    const elsewhere = new HttpsWebhookCaller({ clock: handClock(), resolveService });
    expect(await answerFrom(other, elsewhere)).toMatch(
      /^Post "https:\/\/other\.ns\.svc:443\/fine\?timeout=1s": tls: failed to verify/,
    );
  });

  it("that cannot be resolved is reported", async () => {
    expect(await answerFrom(address)).toBe(
      'Post "https://svc.ns.svc:443/fine?timeout=1s": service "svc" cannot be reached: this server has no cluster network, give a url',
    );
    const resolveService = async () => {
      throw new Error('service "svc" not found');
    };
    expect(await answerFrom(address, new HttpsWebhookCaller({ clock: handClock(), resolveService }))).toBe(
      'Post "https://svc.ns.svc:443/fine?timeout=1s": service "svc" not found',
    );
  });
});

describe("a webhook call that takes too long", () => {
  const call = { address: undefined as unknown as WebhookAddress, review: {}, timeoutSeconds: 1 };

  it("ends at its timeout", async () => {
    const clock = handClock();
    const caller = new HttpsWebhookCaller({ clock });
    const arrived = new Promise<void>((resolve) => {
      hanging = resolve;
    });
    const answer = caller.call({ ...call, address: at("/hang") }, never);
    await arrived;
    clock.fire();
    await expect(answer).rejects.toThrow(`Post "https://127.0.0.1:${port}/hang?timeout=1s": context deadline exceeded`);
    expect(clock.timers.size).toBe(0);
    caller.stop();
  });

  it("ends when the client disconnects", async () => {
    const clock = handClock();
    const caller = new HttpsWebhookCaller({ clock });
    const client = new AbortController();
    hanging = () => client.abort();
    await expect(caller.call({ ...call, address: at("/hang") }, client.signal)).rejects.toThrow(/context canceled$/);
    expect(clock.timers.size).toBe(0);
    caller.stop();
  });
});

describe("connections", () => {
  it("are kept alive for the next call, and replaced when the webhook closed them", async () => {
    const caller = new HttpsWebhookCaller({ clock: handClock() });
    const call = { address: at("/fine"), review: {}, timeoutSeconds: 1 };
    const before = connections;
    await caller.call(call, never);
    await caller.call(call, never);
    expect(connections - before).toBe(1);
    server.closeAllConnections();
    await caller.call(call, never);
    expect(connections - before).toBe(2);
    caller.stop();
  });
});
