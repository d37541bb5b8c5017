import { createServer as createHttp } from "node:http";
import {
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from "node:http2";
import { createServer as createHttps } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import {
  createAuthority,
  issueServerCertificate,
} from "@milo-quota/apiserver/http/certificates/certificate-authority.ts";
import { lightAbortController } from "@milo-quota/kubernetes/client/light-abort-controller.ts";
import type { ClusterAccess, Identity } from "@milo-quota/kubernetes/client/transport/cluster-access.ts";
import { HttpTransport } from "@milo-quota/kubernetes/client/transport/http-transport.ts";
import { LineSplitter } from "@milo-quota/kubernetes/client/transport/line-splitter.ts";
import { replyError } from "@milo-quota/kubernetes/client/transport/reply-status.ts";
import { retryingTransport } from "@milo-quota/kubernetes/client/transport/retrying-transport.ts";
import {
  type Call,
  ConnectionFailed,
  type Reply,
  type Transport,
} from "@milo-quota/kubernetes/client/transport/transport.ts";
import { FakeClock } from "@milo-quota/kubernetes/protocol/fake-clock.ts";
import { afterEach, describe, expect, it } from "vitest";

const lifetime = { nowMs: Date.now(), lifetimeMs: 86_400_000 };
const authority = createAuthority("sockets", lifetime);
const issue = (commonName: string, dnsNames: readonly string[] = ["localhost"]) =>
  issueServerCertificate(authority, { commonName, dnsNames: [...dnsNames], ipAddresses: ["127.0.0.1"] }, lifetime);
const own = issue("server");
const { signal } = lightAbortController();
const get: Call = { method: "GET", path: "/api", query: new URLSearchParams() };
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

type Answer = (request: Http2ServerRequest, response: Http2ServerResponse) => void;
const ending: (() => Promise<unknown> | unknown)[] = [];

afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

/** A server with a given handler that counts its connections and sessions. */
async function serving(answer: Answer, offers: "h2" | "http/1.1", certificate = own) {
  const tls = { key: certificate.privateKeyPem, cert: certificate.certificatePem, ca: authority.certificatePem };
  const requests = { requestCert: true, rejectUnauthorized: false };
  const server =
    offers === "h2"
      ? createSecureServer({ ...tls, ...requests, allowHTTP1: true }, answer)
      : createHttps({ ...tls, ...requests }, answer as never);
  const sockets = new Set<Socket>();
  let connections = 0;
  const sessions: ServerHttp2Session[] = [];
  server.on("connection", (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("session", (session: ServerHttp2Session) => sessions.push(session));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  ending.push(() => {
    cut();
    return new Promise((resolve) => server.close(resolve));
  });
  const url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return { url, cut, sessions, connections: () => connections };
}

function reaching(server: URL, given: Partial<ClusterAccess> = {}): HttpTransport {
  const identity: Identity = { headers: { authorization: "Bearer t" }, authorityPem: authority.certificatePem };
  const transport = new HttpTransport(
    {
      server,
      namespace: "default",
      verifiesServer: true,
      identity: async () => identity,
      invalidate: () => undefined,
      ...given,
    },
    { userAgent: "test" },
  );
  ending.push(() => transport.close());
  return transport;
}

/** Reads a stream. */
function reading(transport: Transport, call: Call = get, until: AbortSignal = signal) {
  const lines: string[] = [];
  let arrived: () => void = () => undefined;
  const first = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const onLine = (text: string): void => {
    lines.push(text);
    arrived();
  };
  const done = transport.stream(call, { onOpened: () => undefined, onLine }, until).then(
    () => "ended in order",
    (error: unknown) => error,
  );
  return { lines, first, done };
}

const say: Answer = (_request, response) => {
  response.writeHead(200);
  response.write("hello\n");
};

describe("streams", () => {
  it("share a connection over HTTP/2", async () => {
    const { url, connections } = await serving(say, "h2");
    const stopped = lightAbortController();
    const transport = reaching(url);
    const streams = Array.from({ length: 120 }, () => reading(transport, get, stopped.signal));
    await Promise.all(streams.map(({ first }) => first));
    expect(connections()).toBeLessThanOrEqual(2);
    stopped.abort(new Error("enough"));
    const ends = await Promise.all(streams.map(({ done }) => done));
    expect(new Set(ends)).toEqual(new Set([stopped.signal.reason]));
  });

  it("have separate connections over HTTP/1.1", async () => {
    const { url } = await serving(say, "http/1.1");
    const stopped = new AbortController();
    const transport = reaching(url);
    const streams = [1, 2, 3].map(() => reading(transport, get, stopped.signal));
    await Promise.all(streams.map(({ first }) => first));
    stopped.abort(new Error("enough"));
    expect(await streams[0]?.done).toBe(stopped.signal.reason);
  });

  for (const offers of ["h2", "http/1.1"] as const) {
    it(`fail when the connection is cut, without the incomplete line (${offers})`, async () => {
      const half: Answer = (_request, response) => {
        response.writeHead(200);
        response.write('{"whole":1}\n{"half":');
      };
      const { url, cut } = await serving(half, offers);
      const { lines, first, done } = reading(reaching(url));
      await first;
      cut();
      expect(await done).toBeInstanceOf(ConnectionFailed);
      expect(lines).toEqual(['{"whole":1}']);
    });

    it(`end without an error when the server closes them (${offers})`, async () => {
      const { url } = await serving((_request, response) => response.end("a\nb\n"), offers);
      const { lines, done } = reading(reaching(url));
      expect(await done).toBe("ended in order");
      expect(lines).toEqual(["a", "b"]);
    });

    it(`fail if they end in the middle of a line (${offers})`, async () => {
      const { url } = await serving((_request, response) => response.end('a\n{"half":'), offers);
      expect(await reading(reaching(url)).done).toMatchObject({
        message: "GET /api: the stream ended in the middle of a line",
      });
    });

    it(`fail with the server's status if they are rejected (${offers})`, async () => {
      const reject: Answer = (_request, response) => {
        response.writeHead(503, { "retry-after": "7" });
        response.end("<html>maintenance</html>");
      };
      const { url } = await serving(reject, offers);
      expect(await reading(reaching(url)).done).toMatchObject({
        status: {
          code: 503,
          reason: "ServiceUnavailable",
          details: { retryAfterSeconds: 7, causes: [{ message: "<html>maintenance</html>" }] },
        },
      });
    });
  }

  it("continue on a connection after GOAWAY, while new ones use another", async () => {
    const answers: Http2ServerResponse[] = [];
    const remember: Answer = (request, response) => {
      answers.push(response);
      say(request, response);
    };
    const { url, sessions, connections } = await serving(remember, "h2");
    const transport = reaching(url);
    const old = reading(transport);
    await old.first;
    sessions[0]?.goaway(0);
    answers[0]?.write("after it\n"); // arrives after GOAWAY, on the same connection
    while (old.lines.length < 2) await turn();
    const next = reading(transport);
    await next.first;
    expect(connections()).toBe(2);
    for (const answer of answers) answer.end("bye\n");
    expect([await old.done, await next.done]).toEqual(["ended in order", "ended in order"]);
    expect(old.lines).toEqual(["hello", "after it", "bye"]);
  });
});

describe("requests", () => {
  it("reuse their connection, also after a delete with a body", async () => {
    const { url, connections } = await serving((_request, response) => response.end("{}"), "h2");
    const transport = reaching(url);
    const body = { type: "application/json", text: "{}" };
    for (let times = 0; times < 10; times += 1) {
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"] as const) {
        await transport.request({ ...get, method, ...(method === "GET" ? {} : { body }) }, signal);
      }
    }
    expect(connections()).toBeLessThanOrEqual(2);
  });

  it("send path, query, body and identity", async () => {
    const received: unknown[] = [];
    const listen: Answer = (request, response) => {
      const { url, method, headers } = request;
      const chunks: Uint8Array[] = [];
      request.on("data", (chunk: Uint8Array) => chunks.push(chunk));
      request.on("end", () => {
        const { authorization, "content-type": type, "user-agent": agent, "impersonate-group": groups } = headers;
        received.push({ url, method, authorization, type, agent, groups, body: Buffer.concat(chunks).toString() });
        response.end("{}");
      });
    };
    const { url } = await serving(listen, "http/1.1");
    const headers = { authorization: "Bearer t", "impersonate-group": ["a", "b"] };
    const identity: Identity = { headers, authorityPem: authority.certificatePem };
    const transport = reaching(new URL("/prefix/", url), { identity: async () => identity });
    const body = { type: "application/json", text: '{"ü":1}' };
    const query = new URLSearchParams({ labelSelector: "a=b,c" });
    await transport.request({ method: "POST", path: "/api/v1/things", query, body }, signal);
    expect(received).toEqual([
      {
        url: "/prefix/api/v1/things?labelSelector=a%3Db%2Cc",
        method: "POST",
        authorization: "Bearer t",
        type: "application/json",
        agent: "test",
        groups: "a, b",
        body: '{"ü":1}',
      },
    ]);
  });

  it("without a response fail with the request and the cause", async () => {
    const { url, cut } = await serving(() => cut(), "http/1.1");
    const failed = reaching(url).request({ ...get, path: "/api/v1/pods" }, signal);
    await expect(failed).rejects.toThrow(/^GET \/api\/v1\/pods: ./);
    const nowhere = reaching(new URL("https://127.0.0.1:1")).request(get, signal);
    await expect(nowhere).rejects.toThrow("GET /api: connect ECONNREFUSED 127.0.0.1:1");
  });

  it("fail with the reason of their abort signal", async () => {
    const stopped = new AbortController();
    const { url } = await serving(() => stopped.abort(new Error("enough")), "http/1.1");
    await expect(reaching(url).request(get, stopped.signal)).rejects.toThrow("enough");
  });

  it("across all planes are not supported", async () => {
    const { url } = await serving(say, "http/1.1");
    const all = reaching(url).request({ ...get, reach: "all-planes" }, signal);
    await expect(all).rejects.toThrow("only a server in this process supports requests across all planes");
  });
});

describe("the identity", () => {
  it("is refreshed once when the server rejects it", async () => {
    const received: (string | undefined)[] = [];
    const believe: Answer = (request, response) => {
      const { authorization } = request.headers;
      received.push(authorization);
      response.writeHead(authorization === "Bearer new" ? 200 : 401);
      response.end(authorization === "Bearer new" ? "line\n" : "");
    };
    const { url } = await serving(believe, "http/1.1");
    const of = (token: string): Identity => ({
      headers: { authorization: `Bearer ${token}` },
      authorityPem: authority.certificatePem,
    });
    const [old, fresh] = [of("old"), of("new")];
    let current = old;
    const rejected = (identity: Identity): void => {
      if (identity === old) current = fresh;
    };
    const transport = reaching(url, { identity: async () => current, invalidate: rejected });
    expect((await transport.request(get, signal)).code).toBe(200);
    current = old;
    expect(await reading(transport).done).toBe("ended in order");
    expect(received).toEqual(["Bearer old", "Bearer new", "Bearer old", "Bearer new"]);
    const stubborn = reaching(url, { identity: async () => old });
    expect((await stubborn.request(get, signal)).code).toBe(401);
    expect(received).toHaveLength(5);
  });

  it("can be a client certificate that is rotated", async () => {
    const shown: string[] = [];
    const look: Answer = (request, response) => {
      const socket = (request.stream?.session?.socket ?? request.socket) as TLSSocket;
      shown.push(String(socket.getPeerCertificate().subject?.CN));
      response.end("line\n");
    };
    const { url } = await serving(look, "h2");
    const of = (name: string): Identity => {
      const { certificatePem, privateKeyPem } = issue(name);
      return { headers: {}, authorityPem: authority.certificatePem, certificate: { certificatePem, privateKeyPem } };
    };
    let current = of("first");
    const transport = reaching(url, { identity: async () => current });
    await transport.request(get, signal);
    await reading(transport).done;
    current = of("second");
    await transport.request(get, signal);
    await reading(transport).done;
    expect(shown).toEqual(["first", "first", "second", "second"]);
  });
});

describe("the server certificate", () => {
  const other = createAuthority("other", lifetime).certificatePem;
  const strange: Identity = { headers: {}, authorityPem: other };
  const known: Identity = { headers: {}, authorityPem: authority.certificatePem };
  const named = issueServerCertificate(
    authority,
    { commonName: "n", dnsNames: ["inner.name"], ipAddresses: [] },
    lifetime,
  );
  const cases: Record<string, [identity: Identity, access: Partial<ClusterAccess>, outcome: number | RegExp]> = {
    "is accepted by authority and name": [known, { serverName: "inner.name" }, 200],
    "is rejected with another authority": [
      strange,
      { serverName: "inner.name" },
      /self-signed|unable to (get|verify)|certificate/,
    ],
    "is rejected with another name": [known, { serverName: "outer.name" }, /does not match|altnames/],
    "is not checked without verification": [strange, { verifiesServer: false }, 200],
  };
  for (const offers of ["h2", "http/1.1"] as const) {
    it.each(Object.entries(cases))(`%s (${offers})`, async (_name, [identity, access, outcome]) => {
      const { url } = await serving((_request, response) => response.end("line\n"), offers, named);
      const transport = reaching(url, { ...access, identity: async () => identity });
      const reply = await transport.request(get, signal).catch((error: Error) => error);
      const stream = await reading(transport).done;
      if (outcome instanceof RegExp) {
        expect((reply as Error).message).toMatch(outcome);
        expect((stream as Error).message).toMatch(outcome);
      } else {
        expect((reply as Reply).code).toBe(outcome);
        expect(stream).toBe("ended in order");
      }
    });
  }
});

it("uses the proxy of the cluster", async () => {
  const { url } = await serving((_request, response) => response.end("line\n"), "http/1.1");
  const requested: string[] = [];
  const proxy = createHttp();
  const sockets = new Set<Socket>();
  proxy.on("connect", (request, socket: Socket) => {
    requested.push(request.url ?? "");
    const target = connect(Number(url.port), url.hostname, () => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
    for (const side of [socket, target]) {
      sockets.add(side);
      side.on("error", () => undefined);
    }
    target.pipe(socket).pipe(target);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  ending.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => proxy.close(resolve));
  });
  const through = new URL(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  const transport = reaching(url, { proxy: through });
  expect((await transport.request(get, signal)).code).toBe(200);
  expect(await reading(transport).done).toBe("ended in order");
  expect(requested).toEqual([url.host, url.host]);
});

describe("a busy server", () => {
  const busy = (code: number, retryAfter: string, method: Call["method"] = "GET") => {
    const clock = new FakeClock();
    let requested = 0;
    const transport: Transport = {
      request: async () => {
        requested += 1;
        const isDone = requested === 3;
        return { code: isDone ? 200 : code, headers: retryAfter === "" ? {} : { "retry-after": retryAfter }, body: "" };
      },
      stream: async () => undefined,
      close: async () => undefined,
    };
    const reply = retryingTransport(transport, clock).request({ ...get, method }, signal);
    return { clock, reply, requested: () => requested };
  };

  it("is retried after Retry-After", async () => {
    const { clock, reply, requested } = busy(429, "2", "POST");
    await turn();
    clock.advance(1_999);
    await turn();
    expect(requested()).toBe(1);
    clock.advance(1);
    await turn();
    clock.advance(2_000);
    expect((await reply).code).toBe(200);
  });

  const final: Record<string, [code: number, retryAfter: string, method: Call["method"]]> = {
    "there is no Retry-After": [429, "", "GET"],
    "a write may have been applied": [503, "1", "POST"],
    "the error is internal": [500, "1", "GET"],
  };
  it.each(Object.entries(final))("is not retried if %s", async (_name, [code, retryAfter, method]) => {
    expect((await busy(code, retryAfter, method).reply).code).toBe(code);
  });
});

describe("an error without a Status body", () => {
  it.each([
    [404, "NotFound", "the server could not find the requested resource (GET /api)"],
    [502, undefined, "the server responded with the status code 502 but did not return more information (GET /api)"],
  ])("with code %i is converted to a Status", (code, reason, message) => {
    const { status } = replyError(get, { code, headers: {}, body: "{not json" });
    expect(status).toMatchObject({ code, message, ...(reason === undefined ? {} : { reason }) });
  });
});

describe("lines", () => {
  it("are assembled from arbitrary chunks", () => {
    const bytes = Buffer.from('{"a":"ü"}\n\n{"b":"€"}\r\n');
    for (let size = 1; size <= bytes.length; size += 1) {
      const lines: string[] = [];
      const splitter = new LineSplitter((line) => lines.push(line.trim()), 100);
      for (let at = 0; at < bytes.length; at += size) splitter.add(bytes.subarray(at, at + size));
      expect(lines).toEqual(['{"a":"ü"}', '{"b":"€"}']);
      expect(splitter.isCutShort).toBe(false);
    }
  });

  it("have a maximum length", () => {
    const splitter = new LineSplitter(() => undefined, 10);
    splitter.add(Buffer.from("123456789\n"));
    expect(() => splitter.add(Buffer.from("12345678901"))).toThrow("line longer than 10 bytes");
  });
});
