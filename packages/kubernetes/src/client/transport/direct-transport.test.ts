import { describe, expect, it } from "vitest";
import { objectOrThrow } from "../resources/read-reply.ts";
import type { ApiRequest, ApiResponse, StreamSink } from "./api-request.ts";
import { directTransport } from "./direct-transport.ts";
import { type Call, ConnectionFailed } from "./transport.ts";

const admin = { username: "admin", uid: "", groups: ["system:masters"], extra: {} };
const call: Call = { method: "GET", path: "/things", query: new URLSearchParams() };
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A stream whose server side the test controls. */
async function streaming() {
  let sink: StreamSink | undefined;
  let request: ApiRequest | undefined;
  const handle = async (received: ApiRequest): Promise<ApiResponse> => {
    request = received;
    const body = {
      start: (given: StreamSink) => {
        sink = given;
      },
    };
    return { code: 200, headers: {}, body };
  };
  const lines: unknown[] = [];
  const stopped = new AbortController();
  const reader = { onOpened: () => lines.push("opened"), onLine: (line: unknown) => lines.push(line) };
  const done = directTransport(handle, admin)
    .stream(call, reader, stopped.signal)
    .then(
      () => "ended in order",
      (error: unknown) => error,
    );
  await turn();
  return { sink: sink as StreamSink, request: request as ApiRequest, lines, stopped, done };
}

describe("a stream of a server in the same process", () => {
  it("is not read synchronously within the server's write", async () => {
    const { sink, lines, done } = await streaming();
    sink.write("one");
    sink.write(Buffer.from("two"));
    expect(lines).toEqual(["opened"]);
    expect(sink.waitingBytes).toBe(6);
    await turn();
    expect(lines).toEqual(["opened", "one", "two"]);
    expect(sink.waitingBytes).toBe(0);
    sink.write("three");
    sink.end();
    expect(await done).toBe("ended in order");
    expect(lines.at(-1)).toBe("three");
  });

  it("passes events without serialization, in order with lines, and counts them as buffered", async () => {
    const { sink, lines, stopped } = await streaming();
    const event = { type: "ADDED", object: { metadata: { name: "a" } }, length: 26 };
    sink.write("one");
    sink.event?.(event);
    sink.write("three");
    expect([lines, sink.waitingBytes]).toEqual([["opened"], 34]);
    await turn();
    expect(lines).toEqual(["opened", "one", event, "three"]);
    expect([lines[2] === event, sink.waitingBytes]).toEqual([true, 0]);
    stopped.abort(new Error("enough"));
  });

  it("reports when the reader has drained it", async () => {
    const { sink, lines, stopped } = await streaming();
    sink.write("one");
    const seen: unknown[] = [];
    sink.onDrain(() => seen.push(...lines));
    await turn();
    await turn();
    expect(seen).toEqual(["opened", "one"]);
    stopped.abort(new Error("enough"));
  });

  it("distinguishes a broken connection from an end", async () => {
    const { sink, lines, done } = await streaming();
    sink.write("one");
    sink.cut();
    expect(await done).toBeInstanceOf(ConnectionFailed);
    expect(lines).toEqual(["opened", "one"]);
  });

  it("is closed on both sides when the reader stops", async () => {
    const { sink, request, lines, stopped, done } = await streaming();
    let isClosed = false;
    sink.onClose(() => {
      isClosed = true;
    });
    sink.write("dropped");
    stopped.abort(new Error("enough"));
    expect(await done).toBe(stopped.signal.reason);
    sink.write("late");
    await turn();
    expect([lines, isClosed, request.abortController.signal.aborted]).toEqual([["opened"], true, true]);
  });

  it("requests all planes only explicitly", async () => {
    const selections: (boolean | undefined)[] = [];
    const handle = async (request: ApiRequest): Promise<ApiResponse> => {
      selections.push(request.allPlanes);
      return { code: 200, headers: {}, body: "{}" };
    };
    const transport = directTransport(handle, admin);
    await transport.request(call, new AbortController().signal);
    await transport.request({ ...call, reach: "all-planes" }, new AbortController().signal);
    expect(selections).toEqual([undefined, true]);
  });
});

describe("a response of a server in the same process", () => {
  const answered = async (answer: ApiResponse) => {
    const reply = await directTransport(async () => answer, admin).request(call, new AbortController().signal);
    return objectOrThrow(call, reply);
  };

  it("is the object itself, without serialization", async () => {
    const object = { kind: "Thing" };
    const answer: ApiResponse = {
      code: 200,
      headers: {},
      get body(): string {
        throw new Error("the reader is gone");
      },
      object: () => object,
    };
    expect(await answered(answer)).toBe(object);
  });

  it("is parsed where it is only text", async () => {
    expect(await answered({ code: 200, headers: {}, body: '{"kind":"Thing"}' })).toEqual({ kind: "Thing" });
  });

  it("is rejected when it is a stream", async () => {
    const stream = { start: () => undefined };
    await expect(answered({ code: 200, headers: {}, body: stream })).rejects.toBeInstanceOf(ConnectionFailed);
  });
});
