import { cases } from "../case.ts";
import { asTable, get, patch, post, put, remove, unseen } from "../steps.ts";

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
const made = post(pods, plain, unseen);
const sent = (spec: object) => [post(pods, pod(spec), { anyOrder: true })];
const with1 = (more: object) => sent({ containers: [{ ...container, ...more }] });

const refusal = ["code", "reason", "details.kind", "details.causes.0.field", "details.causes.0.reason"];

export const podCases = cases("pod", {
  defaults: [post(pods, plain), get(at, asTable)],
  "with everything": sent({
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
  "two of a name": sent({ containers: [container, container] }),
  "bad names": sent({ containers: [{ name: "A_b", image: " x" }] }),
  "bad ports": with1({
    ports: [
      { containerPort: 0 },
      { containerPort: 70000, protocol: "ICMP" },
      { containerPort: 80, name: "TOO LONG NAME OF A PORT" },
    ],
  }),
  "bad variables": with1({
    env: [
      { name: "" },
      { name: "A=B", value: "x" },
      { name: "C", value: "x", valueFrom: { fieldRef: { fieldPath: "spec.nope" } } },
    ],
  }),
  "bad resources": with1({ resources: { requests: { cpu: "2", nope: "1" }, limits: { cpu: "1", memory: "-1" } } }),
  "quantities that are none": with1({ resources: { requests: { cpu: "lots" } } }),
  "quantities of another form": with1({
    resources: { limits: { cpu: 0.5, memory: "1000Ki", "ephemeral-storage": "1e3" } },
  }),
  "bad probes": with1({
    livenessProbe: { periodSeconds: -1 },
    readinessProbe: { httpGet: { port: 0 }, exec: { command: [] } },
  }),
  "bad policies": sent({
    containers: [{ ...container, imagePullPolicy: "Sometimes" }],
    restartPolicy: "Maybe",
    dnsPolicy: "Odd",
  }),
  "bad volumes": sent({
    containers: [
      {
        ...container,
        volumeMounts: [
          { name: "nope", mountPath: "" },
          { name: "a", mountPath: "/a" },
          { name: "a", mountPath: "/a" },
        ],
      },
    ],
    volumes: [{ name: "a" }, { name: "a", emptyDir: {} }, { name: "b", emptyDir: {}, hostPath: { path: "/x" } }],
  }),
  "bad numbers": sent({ containers: [container], terminationGracePeriodSeconds: -5, activeDeadlineSeconds: 0 }),
  "bad selectors": sent({
    containers: [container],
    nodeSelector: { "a b": "c" },
    tolerations: [{ operator: "Odd" }, { key: "a", operator: "Exists", value: "x" }],
  }),
  "a bad host name": sent({ containers: [container], hostname: "A_b", subdomain: "x." }),
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
    made,
    patch("strategic", at, { spec: { containers: [{ name: "main", image: "nginx:2" }] } }),
  ],
  // Which fields differ is told as a difference of two texts, which each server writes in its own way.
  "a change of something else": [
    made,
    patch("strategic", at, { spec: { containers: [{ name: "main", command: ["x"] }] } }, { parts: refusal }),
    patch("merge", at, { spec: { restartPolicy: "Never" } }, { parts: refusal }),
    patch("merge", at, { spec: { nodeName: "x" } }, { parts: refusal }),
  ],
  "applied, wrong": [
    patch("apply", `${at}?fieldManager=one`, pod({ containers: [{ image: "x" }] })),
    patch("apply", `${at}?fieldManager=one`, pod({ containers: [container, container] })),
    patch("apply", `${at}?fieldManager=one`, pod({ containers: "x" })),
  ],
  "another container": [made, patch("strategic", at, { spec: { containers: [{ name: "other", image: "x" }] } })],
  "a deadline": [
    made,
    patch("merge", at, { spec: { activeDeadlineSeconds: 5 } }),
    patch("merge", at, { spec: { activeDeadlineSeconds: 10 } }),
  ],
  "more tolerations": [made, patch("merge", at, { spec: { tolerations: [{ key: "x", operator: "Exists" }] } })],
  "a status": [
    made,
    patch("merge", `${at}/status`, {
      status: { phase: "Running", podIP: "10.0.0.1" },
      spec: { restartPolicy: "Never" },
    }),
    patch("strategic", `${at}/status`, { status: { conditions: [{ type: "Ready", status: "True" }] } }),
    get(`${at}/status`),
    get(at, asTable),
  ],
  "a status that is wrong": [
    made,
    patch("merge", `${at}/status`, { status: { phase: 5 } }),
    patch("merge", `${at}/status`, { status: { containerStatuses: [{ name: "main" }] } }),
  ],
  "selected by its fields": [
    made,
    get(`${pods}?fieldSelector=status.phase%3DPending,spec.nodeName%3D`, asTable),
    get(`${pods}?fieldSelector=spec.restartPolicy%3DNever`),
    get(`${pods}?fieldSelector=spec.nope%3D1`),
  ],
  "a delete": [made, remove(at), get(at)],
  "a delete by force": [made, remove(at, { gracePeriodSeconds: 0 }), get(at)],
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

const deployments = "/apis/apps/v1/namespaces/{ns}/deployments";
const deploymentAt = `${deployments}/one`;
const deployment = (spec: object = {}, template: object = {}) => ({
  metadata: { name: "one" },
  spec: {
    selector: { matchLabels: { app: "x" } },
    template: { metadata: { labels: { app: "x" } }, spec: { containers: [container], ...template } },
    ...spec,
  },
});
const deployed = post(deployments, deployment(), unseen);
const containers = (list: readonly object[]) => ({ spec: { template: { spec: { containers: list } } } });

export const deploymentCases = cases("deployment", {
  defaults: [post(deployments, deployment()), get(deploymentAt, asTable)],
  nothing: [post(deployments, { metadata: { name: "one" } })],
  "a selector that does not match": [post(deployments, deployment({ selector: { matchLabels: { app: "y" } } }))],
  "an empty selector": [post(deployments, deployment({ selector: {} }))],
  "a bad selector": [
    post(
      deployments,
      deployment({
        selector: {
          matchExpressions: [
            { key: "a b", operator: "Odd" },
            { key: "a", operator: "In" },
          ],
        },
      }),
    ),
  ],
  "bad numbers": [
    post(
      deployments,
      deployment({ replicas: -1, minReadySeconds: -1, revisionHistoryLimit: -1, progressDeadlineSeconds: 0 }),
    ),
  ],
  "a bad strategy": [
    post(deployments, deployment({ strategy: { type: "Odd" } })),
    post(deployments, deployment({ strategy: { type: "Recreate", rollingUpdate: {} } })),
    post(deployments, deployment({ strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } })),
    post(deployments, deployment({ strategy: { rollingUpdate: { maxSurge: "x%", maxUnavailable: "200%" } } })),
  ],
  "a bad template": [post(deployments, deployment({}, { restartPolicy: "Never", containers: [{ name: "A" }] }))],
  "wrong types": [
    post(deployments, deployment({ replicas: "3" })),
    post(deployments, deployment({ replicas: 1.5 })),
    post(deployments, deployment({ paused: "x" })),
  ],
  generation: [
    deployed,
    patch("merge", deploymentAt, { spec: { replicas: 3 } }),
    patch("merge", deploymentAt, { metadata: { labels: { a: "b" } } }),
    patch("merge", `${deploymentAt}/status`, { status: { replicas: 2, observedGeneration: 1 }, spec: { replicas: 9 } }),
    get(deploymentAt, asTable),
  ],
  "metadata by a patch of its status": [
    deployed,
    patch("merge", `${deploymentAt}/status`, { metadata: { labels: { a: "b" }, annotations: { c: "d" } } }),
  ],
  "another selector": [
    deployed,
    put(deploymentAt, { ...deployment({ selector: { matchLabels: { app: "x", b: "c" } } }) }),
  ],
  "a status that is wrong": [deployed, patch("merge", `${deploymentAt}/status`, { status: { replicas: -1 } })],
  "another image by its container": [
    deployed,
    patch("strategic", deploymentAt, containers([{ name: "main", image: "nginx:2" }])),
  ],
  "another container before it": [
    deployed,
    patch("strategic", deploymentAt, containers([{ name: "side", image: "x" }])),
  ],
  "a container less": [
    post(deployments, deployment({}, { containers: [container, { name: "side", image: "x" }] }), unseen),
    patch("strategic", deploymentAt, containers([{ name: "side", $patch: "delete" }])),
  ],
  "ports by their number": [
    post(
      deployments,
      deployment(
        {},
        {
          containers: [
            {
              ...container,
              ports: [
                { containerPort: 80, name: "http" },
                { containerPort: 53, protocol: "UDP" },
              ],
            },
          ],
        },
      ),
      unseen,
    ),
    patch("strategic", deploymentAt, containers([{ name: "main", ports: [{ containerPort: 80, name: "web" }] }])),
    patch("strategic", deploymentAt, containers([{ name: "main", ports: [{ containerPort: 53, $patch: "delete" }] }])),
  ],
  "an order of its own": [
    post(deployments, deployment({}, { containers: [container, { name: "side", image: "x" }] }), unseen),
    patch("strategic", deploymentAt, {
      spec: {
        template: {
          spec: {
            "$setElementOrder/containers": [{ name: "side" }, { name: "main" }],
            containers: [{ name: "main", image: "y" }],
          },
        },
      },
    }),
  ],
  "a list replaced": [
    post(deployments, deployment({}, { containers: [container, { name: "side", image: "x" }] }), unseen),
    patch("strategic", deploymentAt, containers([{ $patch: "replace" }, { name: "only", image: "z" }])),
  ],
  "keys kept": [
    post(deployments, deployment({ strategy: { rollingUpdate: { maxSurge: 2 } } }), unseen),
    patch("strategic", deploymentAt, { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } }),
  ],
  "a merge patch of its list": [deployed, patch("merge", deploymentAt, containers([{ name: "other", image: "x" }]))],
  "a bad patch of its list": [
    deployed,
    patch("strategic", deploymentAt, containers([{ image: "x" }])),
    patch("strategic", deploymentAt, { spec: { template: { spec: { containers: "x" } } } }),
    patch("strategic", deploymentAt, containers([{ name: "main", $patch: "odd" }])),
  ],
  "applied by two": [
    patch("apply", `${deploymentAt}?fieldManager=one`, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      ...deployment({ replicas: 2 }),
    }),
    patch("apply", `${deploymentAt}?fieldManager=two`, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "one" },
      spec: { replicas: 3 },
    }),
    patch("apply", `${deploymentAt}?fieldManager=two&force=true`, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "one" },
      spec: { replicas: 3 },
    }),
    patch("apply", `${deploymentAt}?fieldManager=one`, { apiVersion: "apps/v1", kind: "Deployment", ...deployment() }),
  ],
});
