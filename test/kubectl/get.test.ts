import { expect, it } from "vitest";
import { fails, rows, succeeds } from "./command-result.ts";
import { kubectlSuite } from "./kubectl-suite.ts";

const objects = `apiVersion: v1
kind: Namespace
metadata: {name: team}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: blue, namespace: team, labels: {app: web, tier: front}}
data: {rank: "2"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: green, namespace: team, labels: {app: web}}
data: {rank: "1", more: x}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: red, namespace: team}
data: {rank: "3"}
---
apiVersion: v1
kind: Secret
metadata: {name: password, namespace: team}
stringData: {password: hunter2}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: team, labels: {app: web}}
spec: {containers: [{name: nginx, image: "nginx:1.27"}]}
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
`;

kubectlSuite("kubectl get", ({ run, file }) => {
  it("creates the objects to show", async () => {
    file("objects.yaml", objects);
    expect((await run("create -f objects.yaml")).code).toBe(0);
  });

  const tables: Record<string, [line: string, rows: readonly (readonly string[])[]]> = {
    "a table": [
      "get configmaps -n team",
      [
        ["NAME", "DATA", "AGE"],
        ["blue", "1", "AGE"],
        ["green", "2", "AGE"],
        ["red", "1", "AGE"],
      ],
    ],
    "a single object": [
      "get cm/blue -n team",
      [
        ["NAME", "DATA", "AGE"],
        ["blue", "1", "AGE"],
      ],
    ],
    "wide columns": [
      "get pods -n team -o wide",
      [
        ["NAME", "READY", "STATUS", "RESTARTS", "AGE", "IP", "NODE", "NOMINATED NODE", "READINESS GATES"],
        ["web", "0/1", "Pending", "0", "AGE", "<none>", "<none>", "<none>", "<none>"],
      ],
    ],
    "wide columns of deployments": [
      "get deploy -n team -o wide",
      [
        ["NAME", "READY", "UP-TO-DATE", "AVAILABLE", "AGE", "CONTAINERS", "IMAGES", "SELECTOR"],
        ["web", "0/2", "0", "0", "AGE", "nginx", "nginx:1.27", "app=web"],
      ],
    ],
    labels: [
      "get configmaps -n team --show-labels",
      [
        ["NAME", "DATA", "AGE", "LABELS"],
        ["blue", "1", "AGE", "app=web,tier=front"],
        ["green", "2", "AGE", "app=web"],
        ["red", "1", "AGE", "<none>"],
      ],
    ],
    "a column for a label": [
      "get configmaps -n team -L tier -l app=web",
      [
        ["NAME", "DATA", "AGE", "TIER"],
        ["blue", "1", "AGE", "front"],
        ["green", "2", "AGE", ""],
      ],
    ],
    "all namespaces": [
      "get secrets -A",
      [
        ["NAMESPACE", "NAME", "TYPE", "DATA", "AGE"],
        ["team", "password", "Opaque", "1", "AGE"],
      ],
    ],
    "custom columns": [
      "get cm -n team -o custom-columns=NAME:.metadata.name,RANK:.data.rank,TIER:.metadata.labels.tier",
      [
        ["NAME", "RANK", "TIER"],
        ["blue", "2", "front"],
        ["green", "1", "<none>"],
        ["red", "3", "<none>"],
      ],
    ],
    "objects sorted by a field": [
      "get cm -n team --sort-by='{.data.rank}'",
      [
        ["NAME", "DATA", "AGE"],
        ["green", "2", "AGE"],
        ["blue", "1", "AGE"],
        ["red", "1", "AGE"],
      ],
    ],
    "several kinds": [
      "get cm/red pod/web -n team",
      [
        ["NAME", "DATA", "AGE"],
        ["configmap/red", "1", "AGE"],
        ["NAME", "READY", "STATUS", "RESTARTS", "AGE"],
        ["pod/web", "0/1", "Pending", "0", "AGE"],
      ],
    ],
    "the category all": [
      "get all -n team",
      [
        ["NAME", "READY", "STATUS", "RESTARTS", "AGE"],
        ["pod/web", "0/1", "Pending", "0", "AGE"],
        ["NAME", "READY", "UP-TO-DATE", "AVAILABLE", "AGE"],
        ["deployment.apps/web", "0/2", "0", "0", "AGE"],
      ],
    ],
  };
  for (const [name, [line, expected]] of Object.entries(tables)) {
    it(`shows ${name}`, async () => {
      const output = await run(line);
      expect(rows(output)).toEqual(expected);
      expect({ code: output.code, err: output.err }).toEqual({ code: 0, err: "" });
    });
  }

  const texts: Record<string, [line: string, out: string]> = {
    names: ["get cm -n team -o name", "configmap/blue\nconfigmap/green\nconfigmap/red\n"],
    "a JSONPath": ["get cm blue -n team -o jsonpath='{.data.rank}'", "2"],
    "a JSONPath over a list": [
      `get cm -n team -o jsonpath='{range .items[*]}{.metadata.name}={.data.rank};{end}'`,
      "blue=2;green=1;red=3;",
    ],
    "a Go template": ["get cm blue -n team -o go-template='{{.data.rank}} {{.metadata.name}}'", "2 blue"],
    "names by label equality": ["get cm -n team -l app=web -o name", "configmap/blue\nconfigmap/green\n"],
    "names by label inequality": ["get cm -n team -l app!=web -o name", "configmap/red\n"],
    "names by a label set": ["get cm -n team -l 'tier in (front, back)' -o name", "configmap/blue\n"],
    "names without a label": ["get cm -n team -l '!tier' -o name", "configmap/green\nconfigmap/red\n"],
    "names by field": [
      "get cm -n team --field-selector metadata.name!=red -o name",
      "configmap/blue\nconfigmap/green\n",
    ],
    "names of secrets by type": ["get secrets -n team --field-selector type=Opaque -o name", "secret/password\n"],
    "names of pods by phase": ["get pods -A --field-selector status.phase=Pending -o name", "pod/web\n"],
    "names in pages of one": [
      "get cm -n team --chunk-size=1 -o name",
      "configmap/blue\nconfigmap/green\nconfigmap/red\n",
    ],
    "a raw response": ["get --raw /healthz", "ok"],
  };
  for (const [name, [line, out]] of Object.entries(texts)) {
    it(`shows ${name}`, async () => {
      expect(await run(line)).toEqual({ code: 0, out, err: "" });
    });
  }

  it("shows YAML without and with managed fields", async () => {
    const { out } = await run("get cm green -n team -o yaml");
    const time = /creationTimestamp: "\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"/;
    expect(
      out
        .replace(time, "created")
        .replace(/resourceVersion: "\d+"/, "version")
        .replace(/uid: \S{36}/, "uid"),
    ).toBe(
      `apiVersion: v1
data:
  more: x
  rank: "1"
kind: ConfigMap
metadata:
  created
  labels:
    app: web
  name: green
  namespace: team
  version
  uid
`,
    );
    expect((await run("get cm green -n team -o yaml --show-managed-fields")).out).toContain("manager: kubectl-create");
  });

  it("shows JSON of one object and of a list", async () => {
    const one = JSON.parse((await run("get cm green -n team -o json")).out) as { readonly data: unknown };
    expect(one.data).toEqual({ rank: "1", more: "x" });
    const { kind, items } = JSON.parse((await run("get cm -n team -o json")).out) as {
      readonly kind: string;
      readonly items: readonly { readonly metadata: { readonly name: string } }[];
    };
    expect([kind, ...items.map(({ metadata }) => metadata.name)]).toEqual(["List", "blue", "green", "red"]);
  });

  it("succeeds with a message for an empty list", async () => {
    expect(await run("get pods")).toEqual({ code: 0, out: "", err: "No resources found in default namespace.\n" });
    expect(await run("get crds")).toEqual({ code: 0, out: "", err: "No resources found\n" });
    expect(await run("get cm nosuch --ignore-not-found")).toEqual(succeeds());
  });

  const rejected: Record<string, [line: string, message: string]> = {
    "a missing name": ["get cm nosuch", 'Error from server (NotFound): configmaps "nosuch" not found'],
    "a kind that is not served": ["get nosuch", `error: the server doesn't have a resource type "nosuch"`],
    "a path that is not served": [
      "get --raw /nosuch",
      "Error from server (NotFound): the server could not find the requested resource",
    ],
    "an invalid label selector": [
      "get cm -l 'app==('",
      `Error from server (BadRequest): Unable to find "/v1, Resource=configmaps" that match label selector "app==(", field selector "": unable to parse requirement: found '(', expected: identifier`,
    ],
    "an unsupported field selector": [
      "get cm --field-selector data.rank=1",
      'Error from server (BadRequest): Unable to find "/v1, Resource=configmaps" that match label selector "", field selector "data.rank=1": "data.rank" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ],
  };
  for (const [name, [line, text]] of Object.entries(rejected)) {
    it(`fails for ${name}`, async () => {
      expect(await run(line)).toEqual(fails(text));
    });
  }
});
