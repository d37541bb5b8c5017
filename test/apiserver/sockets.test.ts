import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { replyOf } from "./test-client.ts";
import { startTlsServer, type TlsServer } from "./tls-server.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";

/** Short timeouts for tests that wait for them. */
const limits = {
  handshakeMsMax: 150,
  headersMsMax: 150,
  idleMsMax: 300,
  lingerMsMax: 100,
  streamsMax: 20,
  connectionsMax: 30,
};

describe("the socket", () => {
  let server: TlsServer;

  beforeEach(async () => {
    server = await startTlsServer(limits);
  });

  afterEach(async () => {
    // The server must still serve a new client.
    expect((await server.connect().send("GET", "/readyz")).text).toBe("ok");
    await server.stop();
    expect(server.faults).toEqual([]);
  });

  const closed = (socket: Socket | TLSSocket): Promise<string> =>
    new Promise((resolve) => {
      let text = "";
      socket.on("data", (chunk) => {
        text += chunk.toString("latin1");
      });
      socket.on("error", () => undefined);
      socket.once("close", () => resolve(text));
    });

  /** Sends raw HTTP/1.1. */
  const raw = (text: string): Promise<string> => {
    const socket = connectTls({
      port: server.port,
      host: "127.0.0.1",
      ca: server.authority.certificatePem,
      ALPNProtocols: ["http/1.1"],
    });
    socket.write(text);
    return closed(socket);
  };

  it("rejects bodies that are too large before they are complete", async () => {
    const client = server.connect();
    const value = "x".repeat(3 * 1024 * 1024);
    const reply = await client.send("POST", configMaps, { metadata: { name: "large" }, data: { value } });
    expect(reply).toMatchObject({ code: 413, body: { kind: "Status", reason: "RequestEntityTooLarge" } });
    expect(reply.body.message).toBe("Request entity too large: limit is 3145728");
    expect((await client.send("GET", `${configMaps}/large`)).code).toBe(404);
  });

  it("disconnects a client that keeps sending after the response", async () => {
    const client = server.connect();
    const stream = client.open("POST", configMaps);
    const reply = replyOf(stream);
    const chunk = Buffer.alloc(64 * 1024, "x");
    let sent = 0;
    const send = (): void => {
      while (!stream.destroyed && stream.writable && stream.write(chunk)) sent += chunk.length;
    };
    stream.on("drain", send);
    send();
    expect((await reply).code).toBe(413);
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });

  it("rejects paths that are too long", async () => {
    const reply = await server.connect().send("GET", `/api/v1/namespaces?labelSelector=${"x".repeat(40_000)}`);
    expect(reply).toMatchObject({ code: 414, body: { kind: "Status", status: "Failure", code: 414 } });
    const plain = await raw(`GET /${"x".repeat(40_000)} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    expect(plain).toMatch(/^HTTP\/1\.1 414 /);
  });

  it("rejects too many and too large headers", async () => {
    const large = await raw(`GET /readyz HTTP/1.1\r\nhost: x\r\nx-large: ${"x".repeat(100_000)}\r\n\r\n`);
    expect(large).toMatch(/^(HTTP\/1\.1 431 |$)/); // the response may be lost while the client is still sending
    const many = Array.from({ length: 5_000 }, (_, at) => `x-${at}: 1\r\n`).join("");
    expect(await raw(`GET /readyz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${many}\r\n`)).toMatch(
      /^HTTP\/1\.1 (200|431) /,
    );
    const client = server.connect();
    await expect(client.send("GET", "/readyz", undefined, { "x-large": "x".repeat(200_000) })).rejects.toThrow();
  });

  it.each([
    ["another protocol", "hello\r\n\r\n"],
    ["an unknown method", "FETCH / HTTP/1.1\r\nhost: x\r\n\r\n"],
    [
      "both a length and chunked encoding",
      "POST /api/v1/namespaces HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ["an invalid length", "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: -5\r\n\r\n"],
    ["an unknown version", "GET / HTTP/7.7\r\n\r\n"],
    ["null bytes", "GET /\0 HTTP/1.1\r\nhost: x\r\n\r\n"],
  ])("answers %s with 400 and closes the connection", async (_, text) => {
    expect(await raw(text)).toMatch(/^(HTTP\/1\.1 400 |$)/);
  });

  it("closes connections without TLS", async () => {
    for (const text of ["GET / HTTP/1.1\r\n\r\n", "\x16\x03\x01\xff\xff", "\0".repeat(10_000)]) {
      const socket = connectTcp(server.port, "127.0.0.1");
      socket.write(text);
      await closed(socket);
    }
  });

  it("closes idle connections", async () => {
    const silent = connectTcp(server.port, "127.0.0.1");
    const halfRequest = connectTls({
      port: server.port,
      host: "127.0.0.1",
      ca: server.authority.certificatePem,
      ALPNProtocols: ["http/1.1"],
    });
    halfRequest.write("GET /readyz HTTP/1.1\r\nhost:");
    const idle = connectTls({
      port: server.port,
      host: "127.0.0.1",
      ca: server.authority.certificatePem,
      ALPNProtocols: ["h2"],
    });
    const session = server.connect();
    await session.send("GET", "/readyz");
    await Promise.all([closed(silent), closed(halfRequest), closed(idle), session.closed]);
  });

  it("keeps idle connections with an open watch", async () => {
    const client = server.connect();
    const stream = client.open("GET", `${configMaps}?watch=true`);
    stream.end();
    await new Promise((resolve) => stream.once("response", resolve));
    const idle = server.connect();
    await idle.send("GET", "/readyz");
    await idle.closed;
    expect(stream.destroyed).toBe(false);
    const firstEvent = new Promise<string>((resolve) =>
      stream.once("data", (chunk: Buffer) => resolve(chunk.toString())),
    );
    await server.connect().send("POST", configMaps, { metadata: { name: "news" } });
    expect(JSON.parse(await firstEvent)).toMatchObject({ type: "ADDED", object: { metadata: { name: "news" } } });
  });

  it("closes an idle connection after its last watch has ended", async () => {
    const client = server.connect();
    const watches = [1, 2].map(() => client.open("GET", `${configMaps}?watch=true`));
    for (const stream of watches) {
      stream.end();
      await new Promise((resolve) => stream.once("response", resolve));
    }
    for (const stream of watches) stream.close();
    await client.closed;
    expect(server.watchCount()).toBe(0);
  });

  it("drops watches of clients that disconnect before the response", async () => {
    for (let round = 0; round < 20; round += 1) {
      const client = server.connect();
      await client.send("GET", "/readyz");
      for (let count = 0; count < 10; count += 1) client.open("GET", `${configMaps}?watch=true`).end();
      for (let turn = round % 4; turn > 0; turn -= 1) await new Promise((resolve) => setImmediate(resolve));
      client.close();
    }
    for (let turn = 0; turn < 100 && server.watchCount() > 0; turn += 1) await server.connect().send("GET", "/readyz");
    expect(server.watchCount()).toBe(0);
  });

  it("limits concurrent requests per connection and queues the others", async () => {
    const client = server.connect();
    await client.send("GET", "/readyz");
    const streams = Array.from({ length: 25 }, () => client.open("GET", `${configMaps}?watch=true`));
    let opened = 0;
    for (const stream of streams) {
      stream.end();
      stream.once("response", () => {
        opened += 1;
      });
    }
    await server.connect().send("GET", "/readyz");
    await server.connect().send("GET", "/readyz");
    expect(opened).toBe(20);
    expect(server.watchCount()).toBe(20);
    for (const stream of streams.slice(0, 20)) stream.close();
    for (let turn = 0; turn < 100 && opened < 25; turn += 1) await server.connect().send("GET", "/readyz");
    expect(opened).toBe(25);
  });

  it("limits the number of connections", async () => {
    const sockets = Array.from({ length: 45 }, () => connectTcp(server.port, "127.0.0.1"));
    const ended = sockets.map(closed);
    await Promise.race(ended);
    await Promise.all(ended); // the others are closed by the handshake timeout
  });

  it("drops watches whose connection breaks", async () => {
    const client = server.connect();
    const stream = client.open("GET", `${configMaps}?watch=true`);
    stream.end();
    await new Promise((resolve) => stream.once("response", resolve));
    expect(server.watchCount()).toBe(1);
    client.close();
    for (let turn = 0; turn < 100 && server.watchCount() > 0; turn += 1) await server.connect().send("GET", "/readyz");
    expect(server.watchCount()).toBe(0);
  });

  it("buffers little for a client that does not read its watch, and sends everything once it does", async () => {
    const client = server.connect();
    const stream = client.open("GET", `${configMaps}?watch=true`);
    stream.end();
    await new Promise((resolve) => stream.once("response", resolve));
    stream.pause();
    const writer = server.connect();
    const value = "x".repeat(200_000);
    for (let at = 0; at < 40; at += 1)
      await writer.send("POST", configMaps, { metadata: { name: `object-${at}` }, data: { value } });
    let text = "";
    const all = new Promise<void>((resolve) => {
      stream.on("data", (chunk: Buffer) => {
        text += chunk.toString("latin1");
        if (text.split("\n").length > 40) resolve();
      });
    });
    stream.resume();
    await all;
    const names = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).object.metadata.name);
    expect(names).toEqual(Array.from({ length: 40 }, (_, at) => `object-${at}`));
  });

  it("rejects JSON that is nested too deeply", async () => {
    const client = server.connect();
    for (const text of [
      "[".repeat(1_000_000),
      `{"a":`.repeat(200_000),
      `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
    ]) {
      const reply = await client.send("POST", configMaps, text);
      expect(reply).toMatchObject({ code: 400, body: { kind: "Status", reason: "BadRequest" } });
      const patch = await client.send("PATCH", `${configMaps}/x`, `{"data":${text}}`);
      expect([400, 404]).toContain(patch.code);
    }
  });
});
