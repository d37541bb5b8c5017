import { describe, expect, it } from "vitest";
import { claimReleasedEvent, hasEnded, type LiveConsumer } from "./consumer-ending.ts";

const [before, then, after] = ["2026-01-01T10:00:00Z", "2026-01-01T11:00:00Z", "2026-01-01T12:00:00Z"];
const gone: LiveConsumer = { state: "gone" };
const same: LiveConsumer = { state: "exists", uid: "a", created: before };
const another: LiveConsumer = { state: "exists", uid: "b", created: then };

const claim = (creationTimestamp: string, consumerUID?: string, metadata: object = {}) => ({
  metadata: { creationTimestamp, ...metadata },
  status: consumerUID === undefined ? {} : { consumerUID },
});

describe("a claim ends with its consumer", () => {
  const cases: Record<string, [claim: ReturnType<typeof claim>, consumer: LiveConsumer, ended: boolean]> = {
    "not while the consumer exists": [claim(after, "a"), same, false],
    "when the consumer is gone": [claim(after, "a"), gone, true],
    "when there is another one of the same name": [claim(before, "a"), another, true],
    "not if the other one is older: the cache had the former UID when the claim was decided": [
      claim(after, "a"),
      another,
      false,
    ],
    "not if both were created in the same second": [claim(then, "a"), another, false],
    "not if the consumer was not known when the claim was decided": [claim(before), gone, false],
    "not again while it is being deleted": [claim(before, "a", { deletionTimestamp: after }), gone, false],
  };
  for (const [name, [given, consumer, ended]] of Object.entries(cases)) {
    it(name, () => expect(hasEnded(given, consumer)).toBe(ended));
  }

  it("and an event says why", () => {
    const globex = { apiGroup: "x.io", kind: "Organization", namespace: "", name: "globex" };
    expect([claimReleasedEvent(globex, gone), claimReleasedEvent(globex, another)]).toMatchObject([
      { reason: "ConsumerDeleted", message: 'Deleted because Organization "globex" no longer exists.' },
      {
        reason: "ConsumerDeleted",
        message: 'Deleted because it was decided for an earlier Organization "globex", which was deleted.',
      },
    ]);
  });
});
