import { stripVTControlCharacters } from "node:util";
import { expect, it } from "vitest";
import { fails, rows, succeeds } from "./command-result.ts";
import { kubectlSuite } from "./kubectl-suite.ts";

kubectlSuite("kubectl auth", ({ run, file }) => {
  const robot = "--as=system:serviceaccount:team:robot";

  it("creates a service account that can read pods and a user who can list deployments", async () => {
    await run("create namespace team");
    await run("create role reader -n team --verb=get,list --resource=pods");
    await run("create rolebinding reading -n team --role=reader --serviceaccount=team:robot");
    await run("create clusterrole lister --verb=list --resource=deployments.apps");
    expect((await run("create clusterrolebinding listing --clusterrole=lister --user=ann")).code).toBe(0);
  });

  const questions: Record<string, [question: string, answer: "yes" | "no"]> = {
    "an administrator can do everything": ["'*' '*' -A", "yes"],
    "ann can list deployments everywhere": ["list deployments -A --as=ann", "yes"],
    "ann cannot read pods": ["get pods -n team --as=ann", "no"],
    "the service account can read pods": [`get pods -n team ${robot}`, "yes"],
    "the service account cannot read pods elsewhere": [`get pods -n default ${robot}`, "no"],
    "the service account cannot read pod logs": [`get pods --subresource=log -n team ${robot}`, "no"],
    "all users can read the health of the server": ["get /healthz --as=ann", "yes"],
    "a group can be impersonated": ["delete nodes --as=ann --as-group=system:masters", "yes"],
  };
  for (const [name, [question, answer]] of Object.entries(questions)) {
    it(`reports that ${name}`, async () => {
      const { code, out } = await run(`auth can-i ${question}`);
      expect({ code, out }).toEqual({ code: answer === "yes" ? 0 : 1, out: `${answer}\n` });
    });
  }

  it("lists the permissions of a user", async () => {
    const shown = rows(await run(`auth can-i --list -n team ${robot}`));
    expect(shown[0]).toEqual(["Resources", "Non-Resource URLs", "Resource Names", "Verbs"]);
    expect(shown).toContainEqual(["pods", "[]", "[]", "[get list]"]);
    expect(shown).toContainEqual(["selfsubjectaccessreviews.authorization.k8s.io", "[]", "[]", "[create]"]);
  });

  it("shows the current user", async () => {
    expect(rows(await run("auth whoami"))).toEqual([
      ["ATTRIBUTE", "VALUE"],
      ["Username", "admin"],
      ["UID", "admin"],
      ["Groups", "[system:masters system:authenticated]"],
    ]);
    expect(rows(await run("auth whoami --as=ann --as-group=devs"))).toEqual([
      ["ATTRIBUTE", "VALUE"],
      ["Username", "ann"],
      ["Groups", "[devs system:authenticated]"],
    ]);
  });

  it("fails without permission", async () => {
    expect(await run("get pods -n team --as=ann")).toEqual(
      fails(
        'Error from server (Forbidden): pods is forbidden: User "ann" cannot list resource "pods" in API group "" in the namespace "team"',
      ),
    );
    expect(await run("create namespace other --as=ann")).toEqual(
      fails(
        'Error from server (Forbidden): namespaces is forbidden: User "ann" cannot create resource "namespaces" in API group "" at the cluster scope',
      ),
    );
  });

  it("fails with an unknown token", async () => {
    expect(await run("get pods --token=wrong")).toEqual(
      fails("error: You must be logged in to the server (Unauthorized)"),
    );
  });

  it("reconciles roles", async () => {
    file(
      "role.yaml",
      "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: reader, namespace: team}\nrules: [{apiGroups: [''], resources: [secrets], verbs: [get]}]\n",
    );
    const { code, out, err } = await run("auth reconcile -f role.yaml");
    expect({ code, out }).toEqual({ code: 0, out: "role.rbac.authorization.k8s.io/reader reconciled\n" });
    expect(err).toContain("\treconciliation required update\n\tmissing rules added:\n\t\t{Verbs:[get] ");
    expect(await run(`auth can-i get secrets -n team ${robot}`)).toEqual(succeeds("yes"));
  });
});

kubectlSuite("kubectl about the server", ({ run }) => {
  it("lists the served kinds", async () => {
    const shown = rows(await run("api-resources --sort-by=name"));
    expect(shown).toContainEqual(["configmaps", "cm", "v1", "true", "ConfigMap"]);
    expect(shown).toContainEqual([
      "customresourcedefinitions",
      "crd,crds",
      "apiextensions.k8s.io/v1",
      "false",
      "CustomResourceDefinition",
    ]);
    expect(shown).toContainEqual(["deployments", "deploy", "apps/v1", "true", "Deployment"]);
  });

  it("lists kinds by scope and verb", async () => {
    const { out } = await run("api-resources --namespaced=false --verbs=list,create -o name");
    expect(out.split("\n")).toContain("namespaces");
    expect(out.split("\n")).not.toContain("configmaps");
    expect(out.split("\n")).not.toContain("selfsubjectreviews.authentication.k8s.io");
  });

  it("lists the served versions", async () => {
    const { code, out } = await run("api-versions");
    expect(code).toBe(0);
    const versions = out.trimEnd().split("\n");
    expect(versions).toEqual([...versions].sort());
    for (const version of ["v1", "apps/v1", "apiextensions.k8s.io/v1"]) expect(versions).toContain(version);
  });

  it("shows a server version close to that of kubectl", async () => {
    const { code, out, err } = await run("version");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/^Client Version: v1\.\d+\.\d+\nKustomize Version: v\S+\nServer Version: v1\.34\.\d+\S*\n$/);
  });

  it("shows the address of the server", async () => {
    const { code, out } = await run("cluster-info");
    expect(code).toBe(0);
    // kubectl prints in color.
    expect(stripVTControlCharacters(out)).toMatch(
      /^Kubernetes control plane is running at https:\/\/127\.0\.0\.1:\d+\n/,
    );
  });

  it("shows the kubeconfig without the token", async () => {
    const { out } = await run("config view");
    expect(out).toContain("  user:\n    token: REDACTED\n");
    expect((await run("config current-context")).out).toBe("quota\n");
  });
});
