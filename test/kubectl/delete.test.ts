import { expect, it } from "vitest";
import { fails, succeeds } from "./command-result.ts";
import { kubectlSuite } from "./kubectl-suite.ts";

/** A ConfigMap owned by another one. */
function dependent(name: string, owner: string, uid: string): string {
  const reference = { apiVersion: "v1", kind: "ConfigMap", name: owner, uid, blockOwnerDeletion: true };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, labels: { of: owner }, ownerReferences: [reference] },
  });
}

kubectlSuite("kubectl delete", ({ run, start, file }) => {
  const names = async (): Promise<string> => (await run("get configmaps -o name")).out;

  async function family(owner: string): Promise<void> {
    await run(`create configmap ${owner}`);
    const uid = (await run(`get configmap ${owner} -o jsonpath='{.metadata.uid}'`)).out;
    const child = `${owner}-child`;
    expect(await run("create -f -", { stdin: dependent(child, owner, uid) })).toEqual(
      succeeds(`configmap/${child} created`),
    );
  }

  it("deletes an object once", async () => {
    await run("create configmap single");
    expect(await run("delete configmap single")).toEqual(succeeds('configmap "single" deleted from default namespace'));
    expect(await run("delete configmap single")).toEqual(
      fails('Error from server (NotFound): configmaps "single" not found'),
    );
    expect(await run("delete configmap single --ignore-not-found")).toEqual(succeeds());
  });

  it("deletes dependents in the background by default", async () => {
    await family("background");
    expect(await run("delete configmap background --cascade=background")).toEqual(
      succeeds('configmap "background" deleted from default namespace'),
    );
    expect((await run("wait --for=delete configmap/background-child --timeout=20s")).code).toBe(0);
    expect(await names()).toBe("");
  });

  it("deletes dependents first in the foreground", async () => {
    await family("foreground");
    expect(await run("delete configmap foreground --cascade=foreground")).toEqual(
      succeeds('configmap "foreground" deleted from default namespace'),
    );
    expect(await names()).toBe("");
  });

  it("orphans dependents", async () => {
    await family("orphan");
    expect(await run("delete configmap orphan --cascade=orphan")).toEqual(
      succeeds('configmap "orphan" deleted from default namespace'),
    );
    expect(await names()).toBe("configmap/orphan-child\n");
    expect((await run("get configmap orphan-child -o jsonpath='{.metadata.ownerReferences}'")).out).toBe("");
  });

  it("deletes by label and all", async () => {
    await run("create configmap other");
    expect(await run("delete configmaps -l of=orphan")).toEqual(
      succeeds('configmap "orphan-child" deleted from default namespace'),
    );
    expect(await run("delete configmaps --all --dry-run=server")).toEqual(
      succeeds('configmap "other" deleted from default namespace (server dry run)'),
    );
    expect(await run("delete configmaps --all")).toEqual(succeeds('configmap "other" deleted from default namespace'));
    expect(await names()).toBe("");
  });

  it("waits for finalizers unless --wait=false", async () => {
    const held = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "held", finalizers: ["example.com/hold"] } };
    await run("create -f -", { stdin: JSON.stringify(held) });
    expect(await run("delete configmap held --wait=false")).toEqual(
      succeeds('configmap "held" deleted from default namespace'),
    );
    const waiting = start("delete configmap held");
    await waiting.until("deleted");
    expect(await names()).toBe("configmap/held\n");
    expect(await run(`patch configmap held --type=merge -p '{"metadata":{"finalizers":null}}'`)).toEqual(
      succeeds("configmap/held patched"),
    );
    expect((await waiting.ended).code).toBe(0);
    expect(await names()).toBe("");
  });

  it("deletes pods immediately, gracefully or forced, since no node has to confirm", async () => {
    await run("run first --image=busybox");
    await run("run second --image=busybox");
    expect(await run("delete pod first --now")).toEqual(succeeds('pod "first" deleted from default namespace'));
    const { code, out, err } = await run("delete pod second --force");
    expect({ code, out }).toEqual({ code: 0, out: 'pod "second" force deleted from default namespace\n' });
    expect(err).toContain("Warning: Immediate deletion does not wait for confirmation");
    expect((await run("get pods")).err).toBe("No resources found in default namespace.\n");
  });

  it("deletes the objects of a namespace before the namespace", async () => {
    await run("create namespace team");
    await run("create configmap inside -n team");
    await run("create deployment web -n team --image=nginx");
    expect(await run("delete namespace team --timeout=30s")).toEqual(succeeds('namespace "team" deleted'));
    expect(await run("get all,configmaps -n team")).toEqual({
      ...succeeds(),
      err: "No resources found in team namespace.\n",
    });
  });

  it("does not delete system namespaces", async () => {
    expect(await run("delete namespace default")).toEqual(
      fails('Error from server (Forbidden): namespaces "default" is forbidden: this namespace may not be deleted'),
    );
  });

  it("deletes the objects of a file", async () => {
    file(
      "both.yaml",
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: b}\n",
    );
    await run("create -f both.yaml");
    expect(await run("delete -f both.yaml")).toEqual(
      succeeds('configmap "a" deleted from default namespace', 'secret "b" deleted from default namespace'),
    );
  });
});

kubectlSuite("kubectl wait", ({ run, start }) => {
  it("waits for a creation", async () => {
    const waiting = start("wait --for=create configmap/late --timeout=30s");
    await run("create configmap late --from-literal=color=blue");
    expect(await waiting.ended).toEqual(succeeds("configmap/late condition met"));
  });

  it("waits for a value", async () => {
    const waiting = start("wait --for=jsonpath='{.data.color}'=red configmap/late --timeout=30s");
    await run(`patch configmap late -p '{"data":{"color":"red"}}'`);
    expect(await waiting.ended).toEqual(succeeds("configmap/late condition met"));
  });

  it("waits for a condition", async () => {
    await run("run web --image=nginx");
    const waiting = start("wait --for=condition=Ready pod/web --timeout=30s");
    const conditions = [{ type: "Ready", status: "True" }];
    await run(`patch pod web --subresource=status --type=merge -p '${JSON.stringify({ status: { conditions } })}'`);
    expect(await waiting.ended).toEqual(succeeds("pod/web condition met"));
  });

  it("waits for a deletion", async () => {
    const waiting = start("wait --for=delete configmap/late --timeout=30s");
    await run("delete configmap late");
    expect((await waiting.ended).code).toBe(0);
  });

  it("times out", async () => {
    expect(await run("wait --for=condition=Initialized pod/web --timeout=1s")).toEqual(
      fails("error: timed out waiting for the condition on pods/web"),
    );
    expect(await run("wait --for=create configmap/never --timeout=1s")).toEqual(
      fails("error: timed out waiting for the condition"),
    );
  });

  it("fails for a missing object", async () => {
    expect(await run("wait --for=condition=Ready pod/nosuch --timeout=1s")).toEqual(
      fails('Error from server (NotFound): pods "nosuch" not found'),
    );
  });
});
