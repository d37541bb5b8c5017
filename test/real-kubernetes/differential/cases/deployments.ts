import { cases } from "../case.ts";
import { asTable, get, patch, post, put, unseen } from "../steps.ts";

const container = { name: "main", image: "nginx" };
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
  "an invalid selector": [
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
  "invalid numbers": [
    post(
      deployments,
      deployment({ replicas: -1, minReadySeconds: -1, revisionHistoryLimit: -1, progressDeadlineSeconds: 0 }),
    ),
  ],
  "an invalid strategy": [post(deployments, deployment({ strategy: { type: "Odd" } }))],
  "an invalid template": [post(deployments, deployment({}, { restartPolicy: "Never", containers: [{ name: "A" }] }))],
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
  "metadata in a status patch": [
    deployed,
    patch("merge", `${deploymentAt}/status`, { metadata: { labels: { a: "b" }, annotations: { c: "d" } } }),
  ],
  "another selector": [
    deployed,
    put(deploymentAt, { ...deployment({ selector: { matchLabels: { app: "x", b: "c" } } }) }),
  ],
  "another image by container name": [
    deployed,
    patch("strategic", deploymentAt, containers([{ name: "main", image: "nginx:2" }])),
  ],
  "a container inserted first": [
    deployed,
    patch("strategic", deploymentAt, containers([{ name: "side", image: "x" }])),
  ],
  "a removed container": [
    post(deployments, deployment({}, { containers: [container, { name: "side", image: "x" }] }), unseen),
    patch("strategic", deploymentAt, containers([{ name: "side", $patch: "delete" }])),
  ],
  "ports by number": [
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
  "a $setElementOrder directive": [
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
  $retainKeys: [
    post(deployments, deployment({ strategy: { rollingUpdate: { maxSurge: 2 } } }), unseen),
    patch("strategic", deploymentAt, { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } }),
  ],
  "a merge patch of its list": [deployed, patch("merge", deploymentAt, containers([{ name: "other", image: "x" }]))],
  "an invalid list patch": [
    deployed,
    patch("strategic", deploymentAt, containers([{ image: "x" }])),
    patch("strategic", deploymentAt, { spec: { template: { spec: { containers: "x" } } } }),
    patch("strategic", deploymentAt, containers([{ name: "main", $patch: "odd" }])),
  ],
  "applied by two managers": [
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
