import { cases } from "../case.ts";
import { asTable, get, patch, post, put, unseen } from "../steps.ts";

const core = "/api/v1/namespaces/{ns}";
const services = `${core}/services`;
const service = (spec: object) => ({ metadata: { name: "one" }, spec });
const port = { port: 80 };

export const serviceCases = cases("service", {
  defaults: [post(services, service({ ports: [port], selector: { a: "b" } })), get(`${services}/one`)],
  "without an address": [
    post(services, service({ ports: [port], clusterIP: "None" })),
    get(`${services}/one`, asTable),
  ],
  "of another name": [
    post(services, service({ type: "ExternalName", externalName: "example.com" })),
    get(`${services}/one`, asTable),
  ],
  nothing: [post(services, { metadata: { name: "one" } })],
  "two ports without names": [post(services, service({ ports: [port, { port: 81 }] }))],
  "bad ports": [
    post(
      services,
      service({
        ports: [
          { port: 0, name: "A" },
          { port: 80, name: "a", targetPort: "NOT A NAME" },
          { port: 80, name: "b", protocol: "X" },
        ],
      }),
    ),
  ],
  "the same port twice": [
    post(
      services,
      service({
        ports: [
          { port: 80, name: "a" },
          { port: 80, name: "b" },
        ],
      }),
    ),
  ],
  "a bad type": [post(services, service({ type: "Odd", ports: [port] }))],
  "a bad address": [post(services, service({ clusterIP: "x", ports: [port] }))],
  "a bad name": [post(services, { metadata: { name: "1a" }, spec: { ports: [port] } })],
  "ports by their number": [
    post(
      services,
      service({
        ports: [
          { port: 80, name: "a" },
          { port: 81, name: "b" },
        ],
      }),
      unseen,
    ),
    patch("strategic", `${services}/one`, { spec: { ports: [{ port: 80, targetPort: 8080 }] } }),
    patch("strategic", `${services}/one`, { spec: { ports: [{ port: 81, $patch: "delete" }] } }),
  ],
  "a status": [
    post(services, service({ ports: [port], clusterIP: "None" }), unseen),
    patch("merge", `${services}/one/status`, {
      status: {
        conditions: [
          { type: "A", status: "True", reason: "R", message: "", lastTransitionTime: "2020-01-01T00:00:00Z" },
        ],
      },
    }),
  ],
});

const claims = `${core}/persistentvolumeclaims`;
const claim = (spec: object) => ({ metadata: { name: "one" }, spec });
const goodClaim = claim({ accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } });

export const claimCases = cases("volume claim", {
  defaults: {
    steps: [post(claims, goodClaim), get(`${claims}/one`, asTable)],
    mayDiffer: {
      "[0].body.metadata.finalizers": "nobody would take away the finalizer that protects a claim in use",
      "[1].body.rows[0].object.metadata.finalizers": "the same",
    },
  },
  nothing: [post(claims, { metadata: { name: "one" } })],
  "bad modes": [
    post(
      claims,
      claim({ accessModes: ["Odd", "ReadWriteOnce", "ReadWriteOncePod"], resources: { requests: { storage: "1Gi" } } }),
    ),
  ],
  "no size": [post(claims, claim({ accessModes: ["ReadWriteOnce"] }))],
  "a size of nothing": [
    post(claims, claim({ accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "0" } } })),
  ],
});

const quotas = `${core}/resourcequotas`;
const ranges = `${core}/limitranges`;

export const limitCases = cases("limits", {
  "a quota": [
    post(quotas, {
      metadata: { name: "one" },
      spec: { hard: { pods: "4", "requests.cpu": "1", "count/widgets.example.com": "2" } },
    }),
    get(`${quotas}/one`, asTable),
  ],
  "a bad quota": [
    post(
      quotas,
      { metadata: { name: "one" }, spec: { hard: { pods: "-1", nope: "1", "requests.storage": "0.5" } } },
      { anyOrder: true },
    ),
  ],
  "scopes of a quota": [
    post(quotas, {
      metadata: { name: "one" },
      spec: { hard: { pods: "1", services: "1" }, scopes: ["BestEffort", "NotBestEffort", "Odd"] },
    }),
  ],
  "a quota that is no number": [post(quotas, { metadata: { name: "one" }, spec: { hard: { pods: "many" } } })],
  "the status of a quota": [
    post(quotas, { metadata: { name: "one" }, spec: { hard: { secrets: "4" } } }, unseen),
    patch("merge", `${quotas}/one/status`, { status: { hard: { secrets: "4" }, used: { secrets: "-1" } } }),
    patch("merge", `${quotas}/one/status`, { status: { hard: { secrets: "4" }, used: { secrets: "1" } } }),
  ],
  "a range": [
    post(ranges, {
      metadata: { name: "one" },
      spec: { limits: [{ type: "Container", max: { cpu: "1" }, default: { cpu: "500m" } }] },
    }),
    get(`${ranges}/one`, asTable),
  ],
  "a bad range": [
    post(ranges, {
      metadata: { name: "one" },
      spec: {
        limits: [
          { type: "Container", max: { cpu: "1" }, min: { cpu: "2" } },
          { type: "Container" },
          { type: "Pod", default: { cpu: "1" } },
        ],
      },
    }),
  ],
});

const leases = "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases";
const lease = (spec: object) => ({ metadata: { name: "one" }, spec });

export const leaseCases = cases("lease", {
  "a new one": [
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
  "made by an update": [put(`${leases}/one`, lease({ holderIdentity: "me" }))],
  bad: [post(leases, lease({ leaseDurationSeconds: 0, leaseTransitions: -1 }))],
  "a time that is none": [post(leases, lease({ renewTime: "yesterday" })), post(leases, lease({ renewTime: 5 }))],
  "by an old version": [
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
  "of old, seen as new": [post(events, oldEvent), get(`${newEvents}/one`), get(`${events}/one`)],
  "of new, seen as old": [post(newEvents, newEvent), get(`${events}/one`), get(newEvents)],
  "in another namespace than what it is about": [
    post(events, { ...oldEvent, involvedObject: { ...about, namespace: "default" } }),
  ],
  "about nothing": [post(events, { metadata: { name: "one" } })],
  "a new one that is not complete": [post(newEvents, { metadata: { name: "one" }, regarding: about })],
  "a new one of a bad type": [post(newEvents, { ...newEvent, type: "Odd", reason: "x".repeat(129) })],
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

const accounts = `${core}/serviceaccounts`;
const endpoints = `${core}/endpoints`;
const slices = "/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices";
const classes = "/apis/scheduling.k8s.io/v1/priorityclasses";

export const otherKindCases = cases("other kind", {
  "an account": [
    post(accounts, {
      metadata: { name: "one" },
      secrets: [{ name: "a" }],
      imagePullSecrets: [{ name: "b" }],
      automountServiceAccountToken: false,
    }),
    get(`${accounts}/one`, asTable),
    patch("strategic", `${accounts}/one`, { imagePullSecrets: [{ name: "c" }] }),
    patch("strategic", `${accounts}/one`, { secrets: [{ name: "d" }] }),
  ],
  "an account with a bad name": [post(accounts, { metadata: { name: "A b" } })],
  endpoints: [
    post(endpoints, {
      metadata: { name: "one" },
      subsets: [{ addresses: [{ ip: "10.0.0.1" }, { ip: "10.0.0.2", hostname: "a" }], ports: [{ port: 80 }] }],
    }),
    get(`${endpoints}/one`, asTable),
  ],
  "bad endpoints": [
    post(endpoints, {
      metadata: { name: "one" },
      subsets: [{ addresses: [{ ip: "x" }, { ip: "127.0.0.1" }], ports: [{ port: 0 }, { port: 80, protocol: "X" }] }],
    }),
  ],
  "a slice": [
    post(slices, {
      metadata: { name: "one" },
      addressType: "IPv4",
      endpoints: [{ addresses: ["10.0.0.1"], conditions: { ready: true } }],
      ports: [{ port: 80 }],
    }),
    get(`${slices}/one`, asTable),
    patch("merge", `${slices}/one`, { addressType: "IPv6" }),
  ],
  "a bad slice": [
    post(slices, { metadata: { name: "one" } }),
    post(slices, {
      metadata: { name: "one" },
      addressType: "IPv4",
      endpoints: [{ addresses: ["x"] }, { addresses: [] }],
      ports: [{ port: 0, name: "A_" }],
    }),
  ],
  "a class": [
    post(classes, { metadata: { name: "{ns}-class" }, value: 5, description: "x" }),
    get(`${classes}/{ns}-class`, asTable),
    patch("merge", `${classes}/{ns}-class`, { value: 6 }),
    patch("merge", `${classes}/{ns}-class`, { preemptionPolicy: "Never" }),
    { method: "DELETE", path: `${classes}/{ns}-class` },
  ],
  "a bad class": [
    post(classes, { metadata: { name: "{ns}-class" }, value: 2_000_000_000, preemptionPolicy: "Odd" }),
    post(classes, { metadata: { name: "system-{ns}" }, value: 5 }),
  ],
});
