import { cases } from "../case.ts";
import { asTable, get, patch, post, remove, unseen } from "../steps.ts";

const pods = "/api/v1/namespaces/{ns}/pods";
const at = `${pods}/one`;
const container = { name: "main", image: "nginx" };
const pod = (spec: object, more: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "one" },
  spec,
  ...more,
});
const plain = pod({ containers: [container] });
const created = post(pods, plain, unseen);
const sent = (spec: object) => [post(pods, pod(spec), { anyOrder: true })];
const with1 = (more: object) => sent({ containers: [{ ...container, ...more }] });

const rejection = ["code", "reason", "details.kind", "details.causes.0.field", "details.causes.0.reason"];

export const podCases = cases("pod", {
  defaults: [post(pods, plain), get(at, asTable)],
  "with many fields": sent({
    initContainers: [{ name: "init", image: "busybox:1.36", command: ["true"] }],
    containers: [
      {
        ...container,
        args: ["-v"],
        ports: [
          { containerPort: 80, name: "http" },
          { containerPort: 53, protocol: "UDP" },
        ],
        env: [
          { name: "A", value: "1" },
          { name: "B", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        ],
        envFrom: [{ configMapRef: { name: "cfg" } }],
        resources: { requests: { cpu: "0.1", memory: "64Mi" }, limits: { cpu: "1000m", memory: "1Gi" } },
        livenessProbe: { httpGet: { port: 80 } },
        readinessProbe: { tcpSocket: { port: "http" }, periodSeconds: 5 },
        volumeMounts: [
          { name: "data", mountPath: "/data" },
          { name: "cfg", mountPath: "/cfg", readOnly: true },
        ],
        securityContext: { runAsNonRoot: true, capabilities: { drop: ["ALL"] } },
      },
    ],
    volumes: [
      { name: "data", emptyDir: {} },
      { name: "cfg", configMap: { name: "cfg" } },
      { name: "s", secret: { secretName: "s" } },
    ],
    nodeSelector: { a: "b" },
    tolerations: [{ key: "x", operator: "Exists" }],
    restartPolicy: "OnFailure",
    terminationGracePeriodSeconds: 5,
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { a: "b" } } },
        ],
      },
    },
  }),
  nothing: [post(pods, { metadata: { name: "one" } })],
  "no containers": sent({ containers: [] }),
  "a container without a name and image": sent({ containers: [{}] }),
  "duplicate names": sent({ containers: [container, container] }),
  "invalid names": sent({ containers: [{ name: "A_b", image: " x" }] }),
  "invalid ports": with1({
    ports: [
      { containerPort: 0 },
      { containerPort: 70000, protocol: "ICMP" },
      { containerPort: 80, name: "TOO LONG NAME OF A PORT" },
    ],
  }),
  "invalid resources": with1({ resources: { requests: { cpu: "2", nope: "1" }, limits: { cpu: "1", memory: "-1" } } }),
  "invalid quantities": {
    steps: with1({ resources: { requests: { cpu: "lots" } } }),
    mayDiffer: { "[0].body.message": "this server also names the field" },
  },
  "quantities in other forms": with1({
    resources: { limits: { cpu: 0.5, memory: "1000Ki", "ephemeral-storage": "1e3" } },
  }),
  "invalid policies": sent({
    containers: [{ ...container, imagePullPolicy: "Sometimes" }],
    restartPolicy: "Maybe",
  }),
  "wrong types": [
    ...sent({ containers: "x" }),
    ...sent({ containers: [{ ...container, ports: [{ containerPort: "80" }] }] }),
    ...sent({ containers: [{ ...container, env: [{ name: "A", value: 1 }] }] }),
    ...sent({ containers: [container], hostNetwork: "yes" }),
    ...sent({ containers: [{ ...container, command: "sh" }] }),
  ],
  "unknown fields": [
    post(`${pods}?fieldValidation=Strict`, pod({ containers: [{ ...container, imagee: "x" }], nope: 1 })),
    post(`${pods}?dryRun=All`, pod({ containers: [{ ...container, imagee: "x" }], nope: 1 })),
  ],
  "a change of its image": [
    created,
    patch("strategic", at, { spec: { containers: [{ name: "main", image: "nginx:2" }] } }),
  ],
  // The message contains a diff of the specs, which the servers format differently.
  "a change of an immutable field": [
    created,
    patch("strategic", at, { spec: { containers: [{ name: "main", command: ["x"] }] } }, { parts: rejection }),
    patch("merge", at, { spec: { restartPolicy: "Never" } }, { parts: rejection }),
    patch("merge", at, { spec: { nodeName: "x" } }, { parts: rejection }),
  ],
  "applied with errors": [
    patch("apply", `${at}?fieldManager=one`, pod({ containers: [{ image: "x" }] })),
    patch("apply", `${at}?fieldManager=one`, pod({ containers: [container, container] })),
    patch("apply", `${at}?fieldManager=one`, pod({ containers: "x" })),
  ],
  "another container": [created, patch("strategic", at, { spec: { containers: [{ name: "other", image: "x" }] } })],
  "a deadline": [created, patch("merge", at, { spec: { activeDeadlineSeconds: 5 } })],
  "more tolerations": [created, patch("merge", at, { spec: { tolerations: [{ key: "x", operator: "Exists" }] } })],
  "a status": [
    created,
    patch("merge", `${at}/status`, {
      status: { phase: "Running", podIP: "10.0.0.1" },
      spec: { restartPolicy: "Never" },
    }),
    patch("strategic", `${at}/status`, { status: { conditions: [{ type: "Ready", status: "True" }] } }),
    get(`${at}/status`),
    get(at, asTable),
  ],
  "an invalid status": [
    created,
    patch("merge", `${at}/status`, { status: { phase: 5 } }),
    patch("merge", `${at}/status`, { status: { containerStatuses: [{ name: "main" }] } }),
  ],
  "selected by its fields": [
    created,
    get(`${pods}?fieldSelector=status.phase%3DPending,spec.nodeName%3D`, asTable),
    get(`${pods}?fieldSelector=spec.restartPolicy%3DNever`),
    get(`${pods}?fieldSelector=spec.nope%3D1`),
  ],
  "a delete": [created, remove(at), get(at)],
  "a forced delete": [created, remove(at, { gracePeriodSeconds: 0 }), get(at)],
  applied: [
    patch(
      "apply",
      `${at}?fieldManager=one`,
      pod({ containers: [{ ...container, ports: [{ containerPort: 80 }], env: [{ name: "A", value: "1" }] }] }),
    ),
    patch("apply", `${at}?fieldManager=two`, pod({ containers: [{ name: "main", image: "nginx:2" }] })),
    patch("apply", `${at}?fieldManager=two&force=true`, pod({ containers: [{ name: "main", image: "nginx:2" }] })),
  ],
});
