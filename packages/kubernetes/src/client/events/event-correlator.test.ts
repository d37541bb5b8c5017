import { describe, expect, it } from "vitest";
import { FakeClock } from "../../protocol/fake-clock.ts";
import { type EventContent, eventName, eventObject } from "./core-event.ts";
import { type CorrelatorLimits, EventCorrelator } from "./event-correlator.ts";

const claim = { apiVersion: "v1", kind: "Claim", namespace: "acme", name: "one", uid: "u1" };
const denied: EventContent = { type: "Warning", reason: "Denied", message: "no room" };

function correlator(limits: Partial<CorrelatorLimits> = {}) {
  const clock = new FakeClock(1_700_000_000_000);
  const events = new EventCorrelator(clock, limits);
  const correlated = (content: EventContent, involvedObject = claim): string | undefined => {
    const event = events.correlate("root", involvedObject, content);
    return event === undefined ? undefined : `${event.count}x ${event.content.message}`;
  };
  return { clock, events, correlated };
}

describe("events of one object", () => {
  it("are counted in one Event when they repeat", () => {
    const { events } = correlator();
    const [first, second] = [events.correlate("root", claim, denied), events.correlate("root", claim, denied)];
    expect([first?.count, second?.count]).toEqual([1, 2]);
    expect(second?.name).toBe(first?.name);
  });

  it("are separate by reason, message, object and plane", () => {
    const { events, correlated } = correlator();
    correlated(denied);
    expect(correlated({ ...denied, reason: "Other" })).toBe("1x no room");
    expect(correlated({ ...denied, message: "no quota" })).toBe("1x no quota");
    expect(correlated(denied, { ...claim, uid: "u2" })).toBe("1x no room");
    expect(events.correlate("project-a", claim, denied)?.count).toBe(1);
  });

  it("are aggregated from the tenth message of one reason on", () => {
    const { correlated } = correlator({ perObject: { burst: 100, perSecond: 1 } });
    for (let at = 1; at < 10; at += 1)
      expect(correlated({ ...denied, message: `short by ${at}` })).toBe(`1x short by ${at}`);
    expect(correlated({ ...denied, message: "short by 10" })).toBe("1x (combined from similar events): short by 10");
    expect(correlated({ ...denied, message: "short by 11" })).toBe("2x (combined from similar events): short by 11");
    expect(correlated({ ...denied, message: "short by 3" })).toBe("2x short by 3");
  });

  it("are separate again after ten quiet minutes", () => {
    const { clock, correlated } = correlator({ perObject: { burst: 100, perSecond: 1 } });
    for (let at = 1; at < 12; at += 1) correlated({ ...denied, message: `short by ${at}` });
    clock.advance(600_001);
    expect(correlated({ ...denied, message: "short by 99" })).toBe("1x short by 99");
  });

  it("are limited to a burst of 25, then one in five minutes; dropped ones are still counted", () => {
    const { clock, correlated } = correlator();
    const first = Array.from({ length: 30 }, () => correlated(denied));
    expect(first.filter((each) => each !== undefined)).toHaveLength(25);
    clock.advance(300_000);
    expect(correlated(denied)).toBe("31x no room");
    expect(correlated(denied)).toBeUndefined();
  });

  it("are evicted when there are too many objects, with bounded memory", () => {
    const { correlated } = correlator({ cacheSizeMax: 2 });
    for (const uid of ["a", "b", "c"]) correlated(denied, { ...claim, uid });
    expect(correlated(denied, { ...claim, uid: "c" })).toBe("2x no room");
    expect(correlated(denied, { ...claim, uid: "a" })).toBe("1x no room");
  });
});

describe("the recorded Event", () => {
  const written = (involvedObject = claim, count = 1): Readonly<Record<string, unknown>> => {
    const when = { firstMs: 1_700_000_000_000, lastMs: 1_700_000_060_500 };
    const event = { name: "one.1", involvedObject, content: denied, count, ...when };
    return eventObject(event, { component: "quota", instance: "quota-0" });
  };

  it("has the reason, object, reporter, timestamps and count", () => {
    expect(written(claim, 3)).toEqual({
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: "one.1", namespace: "acme" },
      involvedObject: { apiVersion: "v1", kind: "Claim", namespace: "acme", name: "one", uid: "u1" },
      type: "Warning",
      reason: "Denied",
      message: "no room",
      source: { component: "quota", host: "quota-0" },
      reportingComponent: "quota",
      reportingInstance: "quota-0",
      firstTimestamp: "2023-11-14T22:13:20Z",
      lastTimestamp: "2023-11-14T22:14:20Z",
      count: 3,
      series: { count: 3, lastObservedTime: "2023-11-14T22:14:20.500000Z" },
    });
  });

  it("is in namespace default for cluster-scoped objects", () => {
    const { metadata, involvedObject } = written({ ...claim, namespace: "" });
    expect(metadata).toMatchObject({ namespace: "default" });
    expect(involvedObject).not.toHaveProperty("namespace");
  });

  it("truncates a long object name", () => {
    const name = eventName({ ...claim, name: "a".repeat(253) }, 1_700_000_000_000, 7);
    expect(name.length).toBeLessThanOrEqual(253);
    expect(eventName(claim, 5, 1)).not.toBe(eventName(claim, 5, 2));
  });
});
