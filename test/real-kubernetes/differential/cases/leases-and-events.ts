import { cases } from "../case.ts";
import { asTable, get, patch, post, put, unseen } from "../steps.ts";

const core = "/api/v1/namespaces/{ns}";
const leases = "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases";
const lease = (spec: object) => ({ metadata: { name: "one" }, spec });

export const leaseCases = cases("lease", {
  "a new object": [
    post(
      leases,
      lease({
        holderIdentity: "me",
        leaseDurationSeconds: 15,
        acquireTime: "2020-01-01T00:00:00.5Z",
        renewTime: "2020-01-01T01:00:00+01:00",
      }),
    ),
    get(`${leases}/one`, asTable),
  ],
  "created by an update": [put(`${leases}/one`, lease({ holderIdentity: "me" }))],
  bad: [post(leases, lease({ leaseDurationSeconds: 0, leaseTransitions: -1 }))],
  "an invalid time": [post(leases, lease({ renewTime: "yesterday" })), post(leases, lease({ renewTime: 5 }))],
  "with an old resource version": [
    post(leases, lease({ holderIdentity: "me" }), { unseen: true, keep: { seen: "metadata.resourceVersion" } }),
    put(`${leases}/one`, { metadata: { name: "one", resourceVersion: "{seen}" }, spec: { holderIdentity: "you" } }),
    put(`${leases}/one`, { metadata: { name: "one", resourceVersion: "{seen}" }, spec: { holderIdentity: "they" } }),
    put(`${leases}/one`, lease({ holderIdentity: "we" })),
  ],
  "a strategy without a version": [
    post(leases, lease({ strategy: "OldestEmulationVersion" })),
    post(leases, lease({ preferredHolder: "x" })),
  ],
});

const events = `${core}/events`;
const newEvents = "/apis/events.k8s.io/v1/namespaces/{ns}/events";
const about = { apiVersion: "v1", kind: "Pod", name: "x", namespace: "{ns}" };
const oldEvent = {
  metadata: { name: "one" },
  involvedObject: about,
  reason: "Because",
  message: "it is so",
  type: "Normal",
  source: { component: "me" },
  firstTimestamp: "2020-01-01T00:00:00Z",
  count: 1,
};
const newEvent = {
  metadata: { name: "one" },
  eventTime: "2020-01-01T00:00:00.000001Z",
  reportingController: "example.com/me",
  reportingInstance: "me-1",
  action: "Doing",
  reason: "Because",
  regarding: about,
  note: "it is so",
  type: "Normal",
};

export const eventCases = cases("event", {
  "a core event read with the new API": [post(events, oldEvent), get(`${newEvents}/one`), get(`${events}/one`)],
  "a new-style event read with the core API": [post(newEvents, newEvent), get(`${events}/one`), get(newEvents)],
  "in another namespace than its object": [
    post(events, { ...oldEvent, involvedObject: { ...about, namespace: "default" } }),
  ],
  "without an involved object": [post(events, { metadata: { name: "one" } })],
  "an incomplete event": [post(newEvents, { metadata: { name: "one" }, regarding: about })],
  "an invalid type": [post(newEvents, { ...newEvent, type: "Odd", reason: "x".repeat(129) })],
  changed: [
    post(events, oldEvent, unseen),
    patch("merge", `${events}/one`, { count: 2, message: "it is still so" }),
    patch("strategic", `${newEvents}/one`, { note: "another" }),
  ],
  selected: [
    post(events, oldEvent, unseen),
    get(`${events}?fieldSelector=involvedObject.name%3Dx,reason%3DBecause`),
    get(`${events}?fieldSelector=type%3DWarning`),
    get(`${newEvents}?fieldSelector=regarding.name%3Dx`),
    get(`${events}?fieldSelector=nope%3Dx`),
  ],
});
