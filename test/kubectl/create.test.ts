import { createAuthority } from "@milo-quota/apiserver/http/certificates/certificate-authority.ts";
import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import { expect, it } from "vitest";
import { fails, rows, succeeds } from "./command-result.ts";
import { kubectlSuite } from "./kubectl-suite.ts";

const settings = `apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  color: blue
`;

const pod = `apiVersion: v1
kind: Pod
metadata:
  generateName: web-
spec:
  containers:
  - name: nginx
    image: nginx:1.27
`;

kubectlSuite("kubectl create", ({ run, file }) => {
  it("creates a namespace", async () => {
    expect(await run("create namespace team")).toEqual(succeeds("namespace/team created"));
    expect(rows(await run("get namespace team"))).toEqual([
      ["NAME", "STATUS", "AGE"],
      ["team", "Active", "AGE"],
    ]);
  });

  it("creates the object of a file once", async () => {
    file("settings.yaml", settings);
    expect(await run("create -n team -f settings.yaml")).toEqual(succeeds("configmap/settings created"));
    expect(await run("create -n team -f settings.yaml")).toEqual(
      fails(
        'Error from server (AlreadyExists): error when creating "settings.yaml": configmaps "settings" already exists',
      ),
    );
  });

  it("reads stdin and generates a name", async () => {
    const { code, out } = await run("create -n team -f -", { stdin: pod });
    expect(code).toBe(0);
    expect(out).toMatch(/^pod\/web-[a-z0-9]{5} created\n$/);
  });

  it("creates a TLS secret from a key pair", async () => {
    const pair = createAuthority("shop", { nowMs: systemClock.now(), lifetimeMs: 60_000 });
    file("tls.crt", pair.certificatePem);
    file("tls.key", pair.privateKeyPem);
    expect(await run("create -n team secret tls pair --cert=tls.crt --key=tls.key")).toEqual(
      succeeds("secret/pair created"),
    );
    expect((await run("get -n team secret pair -o jsonpath='{.type}'")).out).toBe("kubernetes.io/tls");
  });

  const lines: Record<string, [line: string, message: string]> = {
    "a config map from literals": [
      "configmap literals --from-literal=a=1 --from-literal=b=2",
      "configmap/literals created",
    ],
    "a secret from literals": ["secret generic password --from-literal=password=hunter2", "secret/password created"],
    "a registry password": [
      "secret docker-registry registry --docker-server=r.example.com --docker-username=u --docker-password=p",
      "secret/registry created",
    ],
    "a service account": ["serviceaccount robot", "serviceaccount/robot created"],
    "a role": [
      "role reader --verb=get,list --resource=pods,configmaps",
      "role.rbac.authorization.k8s.io/reader created",
    ],
    "a role binding": [
      "rolebinding reading --role=reader --serviceaccount=team:robot",
      "rolebinding.rbac.authorization.k8s.io/reading created",
    ],
    "a cluster role": [
      "clusterrole lister --verb=list --resource=deployments.apps",
      "clusterrole.rbac.authorization.k8s.io/lister created",
    ],
    "a cluster role binding": [
      "clusterrolebinding listing --clusterrole=lister --user=ann",
      "clusterrolebinding.rbac.authorization.k8s.io/listing created",
    ],
    "a deployment": ["deployment web --image=nginx:1.27 --replicas=2", "deployment.apps/web created"],
    "a ClusterIP service": ["service clusterip inside --tcp=80:8080", "service/inside created"],
    "a NodePort service": ["service nodeport nodes --tcp=80:8080", "service/nodes created"],
    "an ExternalName service": [
      "service externalname elsewhere --external-name=example.com",
      "service/elsewhere created",
    ],
    "a LoadBalancer service": ["service loadbalancer balanced --tcp=80:8080", "service/balanced created"],
  };
  for (const [name, [line, text]] of Object.entries(lines)) {
    it(`creates ${name}`, async () => {
      expect(await run(`create -n team ${line}`)).toEqual(succeeds(text));
    });
  }

  it("runs a pod and exposes a deployment", async () => {
    expect(await run("run once -n team --image=busybox")).toEqual(succeeds("pod/once created"));
    expect(await run("expose deployment web -n team --port=80")).toEqual(succeeds("service/web exposed"));
  });

  it("assigns addresses and ports to services", async () => {
    const shown = rows(await run("get services -n team"));
    expect(shown.map((row) => row.map((cell) => cell.replace(/80:3\d{4}/, "80:NODE")))).toEqual([
      ["NAME", "TYPE", "CLUSTER-IP", "EXTERNAL-IP", "PORT(S)", "AGE"],
      ["balanced", "LoadBalancer", "IP", "<pending>", "80:NODE/TCP", "AGE"],
      ["elsewhere", "ExternalName", "<none>", "example.com", "<none>", "AGE"],
      ["inside", "ClusterIP", "IP", "<none>", "80/TCP", "AGE"],
      ["nodes", "NodePort", "IP", "<none>", "80:NODE/TCP", "AGE"],
      ["web", "ClusterIP", "IP", "<none>", "80/TCP", "AGE"],
    ]);
  });

  const rejected: Record<string, [line: string, message: string]> = {
    "a kind that is not served": [
      "cronjob nightly --image=busybox --schedule=@daily",
      "error: failed to create cronjob: the server could not find the requested resource (post cronjobs.batch)",
    ],
    "a role for a resource that is not served": [
      "clusterrole other --verb=list --resource=nosuch",
      `the server doesn't have a resource type "nosuch"`,
    ],
    "an object in a missing namespace": [
      "configmap lost -n nowhere",
      'error: failed to create configmap: namespaces "nowhere" not found',
    ],
    "an invalid name": [
      "configmap BAD",
      "error: failed to create configmap: ConfigMap \"BAD\" is invalid: metadata.name: Invalid value: \"BAD\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
    "a ResourceQuota": [
      "quota small --hard=pods=3",
      "error: failed to create quota: the server could not find the requested resource",
    ],
    "a priority class": [
      "priorityclass high --value=1000",
      "error: failed to create priorityclass: the server could not find the requested resource (post priorityclasses.scheduling.k8s.io)",
    ],
  };
  for (const [name, [line, text]] of Object.entries(rejected)) {
    it(`fails for ${name}`, async () => {
      expect(await run(`create -n team ${line}`)).toEqual(fails(text));
    });
  }
});

kubectlSuite("kubectl create --dry-run and --validate", ({ run, file }) => {
  const unknownField =
    'Error from server (BadRequest): error when creating "typo.yaml": ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "dta"';

  it("stores nothing in a server dry run", async () => {
    expect(await run("create configmap tried --dry-run=server")).toEqual(
      succeeds("configmap/tried created (server dry run)"),
    );
    expect(await run("get configmap tried")).toEqual(
      fails('Error from server (NotFound): configmaps "tried" not found'),
    );
  });

  it("prints the object in a client dry run", async () => {
    expect(await run("create configmap tried --from-literal=a=1 --dry-run=client -o yaml")).toEqual(
      succeeds("apiVersion: v1", "data:", '  a: "1"', "kind: ConfigMap", "metadata:", "  name: tried"),
    );
  });

  it("rejects an unknown field by default and with strict validation", async () => {
    file("typo.yaml", settings.replace("\ndata:", "\ndta:"));
    expect(await run("create -f typo.yaml")).toEqual(fails(unknownField));
    expect(await run("create -f typo.yaml --validate=strict")).toEqual(fails(unknownField));
  });

  it("warns of an unknown field and drops it with --validate=warn", async () => {
    expect(await run("create -f typo.yaml --validate=warn")).toEqual({
      ...succeeds("configmap/settings created"),
      err: 'Warning: unknown field "dta"\n',
    });
    expect((await run("get configmap settings -o jsonpath='{.dta}'")).out).toBe("");
  });

  it("silently drops an unknown field with --validate=ignore", async () => {
    file("typo2.yaml", settings.replace("\ndata:", "\ndta:").replace("settings", "settings2"));
    expect(await run("create -f typo2.yaml --validate=ignore")).toEqual(succeeds("configmap/settings2 created"));
  });
});
