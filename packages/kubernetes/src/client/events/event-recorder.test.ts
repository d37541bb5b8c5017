import { describe, expect, it } from "vitest";
import { failure, StatusError } from "../../protocol/api-status.ts";
import { FakeClock } from "../../protocol/fake-clock.ts";
import { ConnectionFailed } from "../transport/transport.ts";
import { EventRecorder } from "./event-recorder.ts";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const about = { apiVersion: "v1", kind: "Claim", namespace: "acme", name: "one", uid: "u1" };
const denied = { type: "Warning", reason: "Denied", message: "no room" } as const;
const lost = new ConnectionFailed({ method: "POST", path: "/events" }, "ECONNRESET");

/** A recorder whose writes fail as planned. */
function recording(plans: readonly (Error | undefined)[] = []) {
  const clock = new FakeClock(1_000_000);
  const written: string[] = [];
  const reported: string[] = [];
  const left = [...plans];
  const write = async (what: string): Promise<never> => {
    const error = left.shift();
    written.push(error === undefined ? what : `${what} failed`);
    if (error !== undefined) throw error;
    return {} as never;
  };
  const recorder = new EventRecorder({
    eventsOf: (plane) => ({
      create: (object) => write(`create in ${plane}: ${String((object as { count?: number }).count)}`),
      patch: (_ref, { body }) => write(`patch in ${plane}: ${String((body as { count?: number }).count)}`),
    }),
    source: { component: "quota", instance: "quota-0" },
    clock,
    random: { fraction: () => 0 },
    report: (error) => reported.push((error as Error).message),
  });
  return { clock, recorder, written, reported };
}

describe("an event recorder", () => {
  it("writes one event and counts it up, in the plane of the object", async () => {
    const { recorder, written } = recording();
    recorder.record("project-a", about, denied);
    recorder.record("project-a", about, denied);
    await recorder.stop();
    expect(written).toEqual(["create in project-a: 1", "patch in project-a: 2"]);
  });

  it("creates the Event again when the server deleted it", async () => {
    const { recorder, written } = recording([undefined, new StatusError(failure("NotFound", "gone"))]);
    recorder.record("root", about, denied);
    recorder.record("root", about, denied);
    await recorder.stop();
    expect(written).toEqual(["create in root: 1", "patch in root: 2 failed", "create in root: 2"]);
  });

  it("retries without a response", async () => {
    const { clock, recorder, written, reported } = recording([lost, lost]);
    recorder.record("root", about, denied);
    for (let rounds = 0; rounds < 4; rounds += 1) {
      await turn();
      clock.advance(1_000);
    }
    await recorder.stop();
    expect(written).toEqual(["create in root: 1 failed", "create in root: 1 failed", "create in root: 1"]);
    expect(reported).toEqual([]);
  });

  it("does not retry a rejected Event, and continues with the next", async () => {
    const forbidden = new StatusError(failure("Forbidden", "namespace is being terminated"));
    const { recorder, written, reported } = recording([forbidden]);
    recorder.record("root", about, denied);
    recorder.record("root", { ...about, uid: "u2" }, denied);
    await recorder.stop();
    expect(written).toEqual(["create in root: 1 failed", "create in root: 1"]);
    expect(reported).toEqual(["namespace is being terminated"]);
  });

  it("treats an existing Event as written: the response to the first attempt was lost", async () => {
    const { recorder, reported } = recording([new StatusError(failure("AlreadyExists", "already exists"))]);
    recorder.record("root", about, denied);
    await recorder.stop();
    expect(reported).toEqual([]);
  });

  it("drops Events while the server is unavailable, and does not wait for it on close", async () => {
    const { clock, recorder, reported } = recording(Array.from({ length: 100 }, () => lost));
    for (let at = 0; at < 1_010; at += 1) recorder.record("root", { ...about, uid: `u${at}` }, denied);
    expect(reported.filter((text) => text.startsWith("more than 1000 events are waiting"))).toHaveLength(9);
    const stopping = recorder.stop();
    clock.advance(2_000);
    await stopping;
    await turn();
    expect(clock.waiting).toBe(0);
    recorder.record("root", about, denied);
  });
});
