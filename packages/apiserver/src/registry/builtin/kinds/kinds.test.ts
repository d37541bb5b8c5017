import { issueText } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { describe, expect, it } from "vitest";
import type { ApiObject } from "../../kinds/api-object.ts";
import type { ServedKind, WrittenSubresource } from "../../kinds/served-kind.ts";
import { humanDuration } from "../age.ts";
import { builtinKinds } from "../builtin-kinds.ts";

const now = 1_700_000_000_000;
const ago = (seconds: number): string => new Date(now - seconds * 1000).toISOString().replace(/\.\d+/, "");

function kindNamed(name: string, group?: string): ServedKind {
  const found = builtinKinds.find((kind) => kind.kind === name && (group === undefined || kind.group === group));
  if (found === undefined) throw new Error(`no kind ${name}`);
  return found;
}

function made(name: string, part: JsonObject, group?: string): ApiObject {
  const metadata = { name: "x", namespace: "default", ...((part["metadata"] as JsonObject | undefined) ?? {}) };
  const object = { apiVersion: "v1", kind: name, ...part, metadata } as unknown as ApiObject;
  return kindNamed(name, group).rules.prepareCreate?.(object) as ApiObject;
}

function changed(name: string, old: ApiObject, change: JsonObject, part: WrittenSubresource = "") {
  const { prepareUpdate, validate } = kindNamed(name).rules;
  const object = prepareUpdate?.({ ...old, ...change } as ApiObject, old, part) as ApiObject;
  return { object, issues: (validate?.(object, old, part) ?? []).map(issueText) };
}

describe("tables show", () => {
  const born = { creationTimestamp: ago(150) };
  const running = { running: { startedAt: ago(60) } };
  const container = { name: "c", image: "nginx" };
  const rows: Record<string, [kind: string, object: JsonObject, cells: readonly unknown[]]> = {
    "how many keys a ConfigMap has": [
      "ConfigMap",
      { metadata: born, data: { a: "1" }, binaryData: { b: "AA==" } },
      ["x", 2, "2m30s"],
    ],
    "the type of a Secret": [
      "Secret",
      { metadata: born, type: "Opaque", data: { a: "AA==" } },
      ["x", "Opaque", 1, "2m30s"],
    ],
    "the phase of a Namespace": [
      "Namespace",
      { metadata: born, status: { phase: "Active" } },
      ["x", "Active", "2m30s"],
    ],
    "a Namespace without an age": ["Namespace", { status: {} }, ["x", "", "<unknown>"]],
    "the holder of a Lease": ["Lease", { metadata: born, spec: { holderIdentity: "me" } }, ["x", "me", "2m30s"]],
    "the creation time of a Role": [
      "Role",
      { metadata: { creationTimestamp: "2024-01-01T00:00:00Z" } },
      ["x", "2024-01-01T00:00:00Z"],
    ],
    "the subjects of a RoleBinding": [
      "RoleBinding",
      {
        metadata: born,
        roleRef: { kind: "Role", name: "r" },
        subjects: [
          { kind: "User", name: "u" },
          { kind: "User", name: "v" },
          { kind: "Group", name: "g" },
          { kind: "ServiceAccount", name: "s", namespace: "n" },
        ],
      },
      ["x", "Role/r", "2m30s", "u, v", "g", "n/s"],
    ],
    "the ports of a Service": [
      "Service",
      {
        metadata: born,
        spec: {
          type: "NodePort",
          clusterIPs: ["10.0.0.1"],
          ports: [
            { port: 80, nodePort: 30080, protocol: "TCP" },
            { port: 53, protocol: "UDP" },
          ],
          selector: { b: "2", a: "1" },
        },
        status: {},
      },
      ["x", "NodePort", "10.0.0.1", "<none>", "80:30080/TCP,53/UDP", "2m30s", "a=1,b=2"],
    ],
    "a pending LoadBalancer": [
      "Service",
      { metadata: born, spec: { type: "LoadBalancer", clusterIPs: ["10.0.0.1"] }, status: { loadBalancer: {} } },
      ["x", "LoadBalancer", "10.0.0.1", "<pending>", "<none>", "2m30s", "<none>"],
    ],
    "the addresses of an EndpointSlice": [
      "EndpointSlice",
      { metadata: born, addressType: "IPv4", ports: [{ port: 80 }, { name: "a" }], endpoints: [] },
      ["x", "IPv4", "80,a", "<unset>", "2m30s"],
    ],
    "a bound PersistentVolumeClaim": [
      "PersistentVolumeClaim",
      {
        metadata: born,
        spec: { volumeName: "v", storageClassName: "s", volumeMode: "Block" },
        status: { phase: "Bound", capacity: { storage: "1Gi" }, accessModes: ["ReadWriteMany", "ReadWriteOnce"] },
      },
      ["x", "Bound", "v", "1Gi", "RWO,RWX", "s", "<unset>", "2m30s", "Block"],
    ],
    "the progress of a Deployment": [
      "Deployment",
      {
        metadata: born,
        spec: {
          replicas: 3,
          selector: { matchLabels: { a: "b" } },
          template: { spec: { containers: [container, { name: "d", image: "e" }] } },
        },
        status: { readyReplicas: 1, updatedReplicas: 2 },
      },
      ["x", "1/3", 2, 0, "2m30s", "c,d", "nginx,e", "a=b"],
    ],
    "a waiting Pod": [
      "Pod",
      { metadata: born, spec: { containers: [container] }, status: { phase: "Pending" } },
      ["x", "0/1", "Pending", "0", "2m30s", "<none>", "<none>", "<none>", "<none>"],
    ],
    "a running Pod with restarts": [
      "Pod",
      {
        metadata: born,
        spec: { containers: [container], nodeName: "n", readinessGates: [{ conditionType: "a" }] },
        status: {
          phase: "Running",
          podIPs: [{ ip: "10.1.1.1" }],
          conditions: [{ type: "a", status: "True" }],
          containerStatuses: [
            {
              name: "c",
              ready: true,
              restartCount: 2,
              state: running,
              lastState: { terminated: { exitCode: 1, finishedAt: ago(90) } },
            },
          ],
        },
      },
      ["x", "1/1", "Running", "2 (90s ago)", "2m30s", "10.1.1.1", "n", "<none>", "1/1"],
    ],
    "a Pod whose container does not start": [
      "Pod",
      {
        metadata: born,
        spec: { containers: [container] },
        status: {
          phase: "Running",
          containerStatuses: [{ name: "c", restartCount: 0, state: { waiting: { reason: "ImagePullBackOff" } } }],
        },
      },
      ["x", "0/1", "ImagePullBackOff", "0", "2m30s", "<none>", "<none>", "<none>", "<none>"],
    ],
    "a Pod that is initializing": [
      "Pod",
      {
        metadata: born,
        spec: { containers: [container], initContainers: [container, container] },
        status: {
          phase: "Pending",
          initContainerStatuses: [
            { name: "c", restartCount: 0, state: { terminated: { exitCode: 0 } } },
            { name: "c", restartCount: 1, state: { terminated: { exitCode: 3 } } },
          ],
        },
      },
      ["x", "0/1", "Init:ExitCode:3", "1", "2m30s", "<none>", "<none>", "<none>", "<none>"],
    ],
    "a terminating Pod": [
      "Pod",
      {
        metadata: { ...born, deletionTimestamp: ago(1) },
        spec: { containers: [container] },
        status: { phase: "Running" },
      },
      ["x", "0/1", "Terminating", "0", "2m30s", "<none>", "<none>", "<none>", "<none>"],
    ],
    "a repeated Event": [
      "Event",
      {
        metadata: born,
        involvedObject: { kind: "Pod", name: "p", fieldPath: "spec" },
        source: { component: "k", host: "h" },
        reason: "R",
        message: " m ",
        type: "Normal",
        count: 4,
        firstTimestamp: ago(600),
        lastTimestamp: ago(30),
        eventTime: null,
      },
      ["30s", "Normal", "R", "pod/p", "spec", "k, h", "m", "10m", 4, "x"],
    ],
    "an Event of a series": [
      "Event",
      {
        involvedObject: { kind: "Pod" },
        source: {},
        firstTimestamp: null,
        lastTimestamp: null,
        eventTime: ago(600),
        series: { count: 7, lastObservedTime: ago(5) },
        reportingComponent: "c",
        reportingInstance: "",
      },
      ["5s", "", "", "pod", "", "c", "", "10m", 7, "x"],
    ],
  };
  for (const [name, [kind, part, cells]] of Object.entries(rows)) {
    it(name, () => {
      const metadata = { name: "x", ...((part["metadata"] as JsonObject | undefined) ?? {}) };
      const object = { apiVersion: "v1", kind, ...part, metadata } as unknown as ApiObject;
      expect(kindNamed(kind).columns.map((column) => column.read?.(object, now))).toEqual(cells);
    });
  }

  const ages: Record<number, string> = {
    [-5]: "<invalid>",
    [-1]: "0s",
    0: "0s",
    119: "119s",
    120: "2m",
    121: "2m1s",
    599: "9m59s",
    600: "10m",
    10799: "179m",
    10800: "3h",
    10860: "3h1m",
    28800: "8h",
    172799: "47h",
    172800: "2d",
    176400: "2d1h",
    691200: "8d",
    63072000: "2y",
    63158400: "2y1d",
    252288000: "8y",
  };
  for (const [seconds, text] of Object.entries(ages)) {
    it(`${seconds} seconds as ${text}`, () => {
      expect(humanDuration(Number(seconds) * 1000)).toBe(text);
    });
  }
});

describe("a Namespace", () => {
  const old = made("Namespace", { metadata: { labels: { a: "b" } } });

  it("is labelled with its name, overriding the label of the request", () => {
    const { object } = changed("Namespace", old, {
      metadata: { name: "x", labels: { "kubernetes.io/metadata.name": "y" } },
    });
    expect(object.metadata.labels).toEqual({ "kubernetes.io/metadata.name": "x" });
  });

  it("keeps its finalizers when it is edited", () => {
    expect(changed("Namespace", old, { spec: {} }).object["spec"]).toEqual({ finalizers: ["kubernetes"] });
  });

  it("loses its finalizers when it is finalized", () => {
    expect(changed("Namespace", old, { spec: {} }, "finalize").object["spec"]).toEqual({});
  });

  it("reports the path of an invalid finalizer", () => {
    expect(changed("Namespace", old, { spec: { finalizers: ["x"] } }, "finalize").issues).toEqual([
      'spec.finalizers[0]: Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified',
    ]);
  });

  it("is not Terminating before it is deleted", () => {
    expect(changed("Namespace", old, { status: { phase: "Terminating" } }, "status").issues).toEqual([
      "status.Phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty",
    ]);
  });
});

describe("content that is too large", () => {
  const mebibyte = "x".repeat(1024 * 1024);
  const tooLong = "Too long: may not be more than 1048576 bytes";
  it("is rejected in a ConfigMap, counting data and binaryData together", () => {
    const object = made("ConfigMap", { data: { a: mebibyte }, binaryData: { b: "AA==" } });
    expect(kindNamed("ConfigMap").rules.validate?.(object, undefined).map(issueText)).toEqual([`[]: ${tooLong}`]);
  });

  it("is accepted at the exact limit", () => {
    const object = made("Secret", { stringData: { a: mebibyte } });
    expect(kindNamed("Secret").rules.validate?.(object, undefined)).toEqual([]);
  });

  it("is rejected in a Secret", () => {
    const object = made("Secret", { stringData: { a: mebibyte, b: "y" } });
    expect(kindNamed("Secret").rules.validate?.(object, undefined).map(issueText)).toEqual([`data: ${tooLong}`]);
  });
});

describe("a Secret", () => {
  it("of type dockerconfigjson requires an object", () => {
    const part = { type: "kubernetes.io/dockerconfigjson", stringData: { ".dockerconfigjson": "[]" } };
    expect(kindNamed("Secret").rules.validate?.(made("Secret", part), undefined).map(issueText)).toEqual([
      'data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": expected object, got array',
    ]);
  });
});

describe("a PersistentVolumeClaim", () => {
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "2Gi" } }, storageClassName: "a" };
  const old = made("PersistentVolumeClaim", { spec });
  const bound = { ...old, status: { phase: "Bound", capacity: { storage: "1Gi" } } } as unknown as ApiObject;
  const fixed =
    "spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
  const resized = (size: string) => ({ spec: { ...spec, resources: { requests: { storage: size } } } });
  const changes: Record<string, [old: ApiObject, change: JsonObject, issues: readonly string[]]> = {
    "may be bound": [old, { spec: { ...spec, volumeName: "v" } }, []],
    "may not change its class": [
      old,
      { spec: { ...spec, storageClassName: "b" } },
      [`${fixed}\n  - storageClassName: "a"\n  + storageClassName: "b"`],
    ],
    "may not grow before it is bound": [
      old,
      resized("3Gi"),
      [`${fixed}\n  - resources.requests.storage: "2Gi"\n  + resources.requests.storage: "3Gi"`],
    ],
    "may grow when it is bound": [bound, resized("3Gi"), []],
    "may shrink to more than its capacity": [bound, resized("1500Mi"), []],
    "may not shrink to its capacity": [
      bound,
      resized("1Gi"),
      ["spec.resources.requests.storage: Forbidden: field can not be less than status.capacity"],
    ],
  };
  for (const [name, [before, change, issues]] of Object.entries(changes)) {
    it(name, () => {
      expect(changed("PersistentVolumeClaim", before, change).issues).toEqual(issues);
    });
  }
});

describe("a Service", () => {
  it("gets a stable cluster IP derived from its name", () => {
    const ports = [{ port: 80 }];
    const spec = made("Service", { spec: { ports } })["spec"] as JsonObject;
    expect(spec).toEqual(made("Service", { spec: { ports } })["spec"]);
    expect(spec["clusterIP"]).toMatch(/^10\.(9[6-9]|10\d|11[01])\.\d+\.\d+$/);
    expect(spec["clusterIPs"]).toEqual([spec["clusterIP"]]);
  });

  it("gets a distinct node port for each of its ports", () => {
    const ports = [80, 81, 82].map((port) => ({ port, name: `p${port}` }));
    const spec = made("Service", { spec: { type: "LoadBalancer", ports } })["spec"] as {
      readonly ports: readonly { readonly nodePort: number }[];
    };
    const all = spec.ports.map(({ nodePort }) => nodePort);
    expect(new Set(all).size).toBe(3);
    for (const port of all) expect(port).toBeGreaterThanOrEqual(30_000);
    for (const port of all) expect(port).toBeLessThan(32_768);
  });
});

describe("a Deployment", () => {
  it("has one of two strategies", () => {
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "nginx" }] } };
    const spec = { selector: { matchLabels: { a: "b" } }, template, strategy: { type: "Odd" } };
    const issues = kindNamed("Deployment").rules.validate?.(made("Deployment", { spec }), undefined);
    expect(issues?.map(issueText)).toEqual([
      'spec.strategy: Unsupported value: "Odd": supported values: "Recreate", "RollingUpdate"',
    ]);
  });
});

describe("a Pod", () => {
  const container = { name: "c", image: "nginx" };
  const old = made("Pod", { spec: { containers: [container], nodeSelector: { a: "b" } } });
  const specOf = (change: JsonObject): JsonObject => ({ spec: { ...(old["spec"] as JsonObject), ...change } });

  it("rejects changes of immutable fields", () => {
    const { issues } = changed("Pod", old, specOf({ nodeSelector: { a: "c" }, hostPID: true }));
    expect(issues).toHaveLength(1);
    expect(issues[0]).toContain(
      "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,",
    );
    expect(issues[0]).toContain(
      '\n  - hostPID: null\n  + hostPID: true\n  - nodeSelector.a: "b"\n  + nodeSelector.a: "c"',
    );
  });

  it("may get tolerations and another image", () => {
    const images = {
      containers: [{ ...(old["spec"] as { containers: JsonObject[] }).containers[0], image: "nginx:2" }],
    };
    expect(changed("Pod", old, specOf({ tolerations: [{ key: "a", operator: "Exists" }] })).issues).toEqual([]);
    expect(changed("Pod", old, specOf(images)).issues).toEqual([]);
  });

  it("is selectable by its node and host network", () => {
    const { selectField } = kindNamed("Pod").rules;
    expect(selectField?.(old, "spec.hostNetwork")).toBe("false");
    expect(selectField?.(old, "spec.nodeName")).toBeUndefined();
  });
});

describe("an Event", () => {
  const { storage } = kindNamed("Event", "events.k8s.io");
  const core = {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: "e", namespace: "default" },
    involvedObject: { kind: "Pod", name: "p" },
    reason: "R",
    message: "m",
    source: { component: "c" },
    firstTimestamp: "2024-01-01T00:00:00Z",
    lastTimestamp: null,
    count: 3,
    type: "Normal",
    eventTime: null,
    reportingComponent: "rc",
    reportingInstance: "ri",
  };

  it("has the field names of events.k8s.io in the newer group", () => {
    const shown = storage?.fromStored(core as unknown as ApiObject);
    expect(shown).toEqual({
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      metadata: { name: "e", namespace: "default" },
      eventTime: null,
      reportingController: "rc",
      reportingInstance: "ri",
      reason: "R",
      regarding: { kind: "Pod", name: "p" },
      note: "m",
      type: "Normal",
      deprecatedSource: { component: "c" },
      deprecatedFirstTimestamp: "2024-01-01T00:00:00Z",
      deprecatedLastTimestamp: null,
      deprecatedCount: 3,
    });
    expect(storage?.toStored(shown as ApiObject)).toEqual(core);
  });

  it("is selectable by its reporter, under either field name", () => {
    const { selectField } = kindNamed("Event", "").rules;
    const other = { ...core, source: {} };
    expect(selectField?.(core as unknown as ApiObject, "source")).toBe("c");
    expect(selectField?.(other as unknown as ApiObject, "source")).toBe("rc");
  });

  it("of the newer group may change its series only", () => {
    const { validate } = kindNamed("Event", "events.k8s.io").rules;
    const fresh = storage?.fromStored({ ...core, eventTime: "2024-01-01T00:00:00.000000Z" } as unknown as ApiObject);
    const series = { count: 1, lastObservedTime: "2024-01-01T00:00:00.000000Z" };
    const next = { ...fresh, note: "other", series } as unknown as ApiObject;
    const about = 'involvedObject.namespace: Invalid value: "": does not match event.namespace';
    const issues = validate?.(next, fresh)
      .map(issueText)
      .filter((text) => text !== about);
    expect(issues).toEqual([
      "action: Required value",
      'series.count: Invalid value: "": should be at least 2',
      'message: Invalid value: "other": field is immutable',
    ]);
  });
});
