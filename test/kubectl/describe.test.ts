import { expect, it } from "vitest";
import { fails, succeeds } from "./command-result.ts";
import { kubectlSuite } from "./kubectl-suite.ts";

const objects = `apiVersion: v1
kind: Namespace
metadata: {name: team}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: team, labels: {app: web}, annotations: {note: hello}}
data: {color: blue}
---
apiVersion: v1
kind: Secret
metadata: {name: password, namespace: team}
stringData: {password: hunter2}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: team, labels: {app: web}}
spec:
  containers:
  - name: nginx
    image: nginx:1.27
    ports: [{containerPort: 80}]
    env: [{name: COLOR, value: blue}]
    resources: {requests: {cpu: 100m}, limits: {cpu: 200m}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: team}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: nginx, image: "nginx:1.27"}]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: team}
rules: [{apiGroups: ["", apps], resources: [pods], verbs: [get, list]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: reading, namespace: team}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects: [{kind: ServiceAccount, name: robot, namespace: team}]
`;

/** An event of the pod. */
function eventAbout(uid: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: "web.1", namespace: "team" },
    involvedObject: { apiVersion: "v1", kind: "Pod", name: "web", namespace: "team", uid },
    reason: "Waiting",
    message: "no kubelet runs here",
    type: "Warning",
    source: { component: "test" },
    firstTimestamp: "2020-01-01T00:00:00Z",
    lastTimestamp: "2020-01-01T00:00:00Z",
    count: 1,
  });
}

kubectlSuite("kubectl describe and events", ({ run, file }) => {
  it("creates the objects to describe", async () => {
    file("objects.yaml", objects);
    expect((await run("create -f objects.yaml")).code).toBe(0);
    const uid = (await run("get pod web -n team -o jsonpath='{.metadata.uid}'")).out;
    expect(await run("create -f -", { stdin: eventAbout(uid) })).toEqual(succeeds("event/web.1 created"));
  });

  const whole: Record<string, [line: string, out: string]> = {
    "a config map": [
      "configmap settings",
      `Name:         settings
Namespace:    team
Labels:       app=web
Annotations:  note: hello

Data
====
color:
----
blue


BinaryData
====

Events:  <none>
`,
    ],
    "a secret without its data": [
      "secret password",
      `Name:         password
Namespace:    team
Labels:       <none>
Annotations:  <none>

Type:  Opaque

Data
====
password:  7 bytes
`,
    ],
    "a namespace": [
      "namespace team",
      `Name:         team
Labels:       kubernetes.io/metadata.name=team
Annotations:  <none>
Status:       Active
`,
    ],
    "a role": [
      "role reader",
      `Name:         reader
Labels:       <none>
Annotations:  <none>
PolicyRule:
  Resources  Non-Resource URLs  Resource Names  Verbs
  ---------  -----------------  --------------  -----
  pods       []                 []              [get list]
  pods.apps  []                 []              [get list]
`,
    ],
    "a role binding": [
      "rolebinding reading",
      `Name:         reading
Labels:       <none>
Annotations:  <none>
Role:
  Kind:  Role
  Name:  reader
Subjects:
  Kind            Name   Namespace
  ----            ----   ---------
  ServiceAccount  robot  team
`,
    ],
  };
  for (const [name, [what, out]] of Object.entries(whole)) {
    it(`shows ${name}`, async () => {
      expect(await run(`describe -n team ${what}`)).toEqual({ code: 0, out, err: "" });
    });
  }

  it("shows a pod, its containers and its events", async () => {
    const { out } = await run("describe -n team pod web");
    expect(out).toMatch(/^Name: +web\nNamespace: +team\n/);
    expect(out).toContain(`Containers:
  nginx:
    Image:      nginx:1.27
    Port:       80/TCP
    Host Port:  0/TCP
    Limits:
      cpu:  200m
    Requests:
      cpu:  100m
    Environment:
      COLOR:     blue
`);
    expect(out).toContain("QoS Class:       Burstable\n");
    expect(out).toMatch(
      /Events:\n {2}Type +Reason +Age +From +Message\n.*\n {2}Warning +Waiting +\S+ +test +no kubelet runs here\n$/,
    );
  });

  it("shows a deployment and its pod template", async () => {
    const { out } = await run("describe -n team deployment web");
    expect(out).toContain(
      "Replicas:               2 desired | 0 updated | 0 total | 0 available | 0 unavailable\nStrategyType:           RollingUpdate\n",
    );
    expect(out).toContain("RollingUpdateStrategy:  25% max unavailable, 25% max surge\n");
    expect(out).toContain(
      "Pod Template:\n  Labels:  app=web\n  Containers:\n   nginx:\n    Image:         nginx:1.27\n",
    );
  });

  it("fails for a missing object", async () => {
    expect(await run("describe configmap nosuch")).toEqual(
      fails('Error from server (NotFound): configmaps "nosuch" not found'),
    );
  });

  it("shows events with both commands, also for one object", async () => {
    const line = /^\S+ +Warning +Waiting +(?:pod|Pod)\/web +no kubelet runs here$/m;
    expect((await run("events -n team")).out).toMatch(line);
    expect((await run("events -n team --for pod/web")).out).toMatch(line);
    expect((await run("get events -n team --field-selector involvedObject.name=web")).out).toMatch(line);
    expect(await run("events")).toEqual({ code: 0, out: "", err: "No events found in default namespace.\n" });
  });
});
