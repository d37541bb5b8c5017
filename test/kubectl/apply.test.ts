import { expect, it } from "vitest";
import { fails, succeeds } from "./command-result.ts";
import { kubectlSuite } from "./kubectl-suite.ts";

function settings(...data: readonly string[]): string {
  const lines = data.map((line) => `  ${line}\n`).join("");
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n  labels:\n    app: web\ndata:\n${lines}`;
}

/** Advice that kubectl prints for every conflict. */
const wayOut = `Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the \`--force-conflicts\` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).
See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts`;

const dataOf = "get configmap settings -o jsonpath='{.data}'";

kubectlSuite("kubectl apply", ({ run, file }) => {
  it("creates a missing object", async () => {
    file("settings.yaml", settings("color: blue", 'size: "3"'));
    expect(await run("apply -f settings.yaml")).toEqual(succeeds("configmap/settings created"));
  });

  it("reports an unchanged object", async () => {
    expect(await run("apply -f settings.yaml")).toEqual(succeeds("configmap/settings unchanged"));
  });

  it("updates changed fields and removes fields that the file no longer has", async () => {
    file("settings.yaml", settings("color: green", "shape: round"));
    expect(await run("apply -f settings.yaml")).toEqual(succeeds("configmap/settings configured"));
    expect((await run(dataOf)).out).toBe('{"color":"green","shape":"round"}');
  });

  it("keeps fields of other managers", async () => {
    await run(`patch configmap settings -p '{"data":{"added":"later"}}'`);
    file("settings.yaml", settings("color: red"));
    expect(await run("apply -f settings.yaml")).toEqual(succeeds("configmap/settings configured"));
    expect((await run(dataOf)).out).toBe('{"added":"later","color":"red"}');
  });

  it.each(["quota.miloapis.com/v1alpha1", "v1", "unknown.example.com/v1"])(
    "fails for an unknown kind in %s",
    async (apiVersion) => {
      file("nope.yaml", `apiVersion: ${apiVersion}\nkind: Nope\nmetadata:\n  name: one\n`);
      const { code, err } = await run("apply -f nope.yaml");
      expect(code).toBe(1);
      expect(err).toContain(
        `resource mapping not found for name: "one" namespace: "" from "nope.yaml": no matches for kind "Nope" in version "${apiVersion}"\nensure CRDs are installed first`,
      );
    },
  );

  it("shows the last applied configuration", async () => {
    expect((await run("apply view-last-applied configmap settings -o json")).out).toContain('"color": "red"');
  });

  it("supports dry runs on the server and on the client", async () => {
    file("settings.yaml", settings("color: white"));
    expect(await run("apply -f settings.yaml --dry-run=server")).toEqual(
      succeeds("configmap/settings configured (server dry run)"),
    );
    expect(await run("apply -f settings.yaml --dry-run=client")).toEqual(
      succeeds("configmap/settings configured (dry run)"),
    );
    expect((await run(dataOf)).out).toBe('{"added":"later","color":"red"}');
  });

  it("shows a diff and exits with 1", async () => {
    const { code, out, err } = await run("diff -f settings.yaml");
    expect({ code, err }).toEqual({ code: 1, err: "" });
    expect(out).toContain("\n-  color: red\n+  color: white\n");
    file("same.yaml", settings("color: red"));
    expect(await run("diff -f same.yaml")).toEqual(succeeds());
  });

  it("shows a new object in the diff", async () => {
    file("new.yaml", settings("color: red").replace("settings", "fresh"));
    const { code, out } = await run("diff -f new.yaml");
    expect(code).toBe(1);
    expect(out).toContain("\n+  name: fresh\n");
  });

  it("rejects an unknown field of a new and of an existing object", async () => {
    file("new.yaml", settings("color: red").replace("settings", "fresh").replace("\ndata:", "\ndta:"));
    expect(await run("apply -f new.yaml")).toEqual(
      fails(
        'Error from server (BadRequest): error when creating "new.yaml": ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "dta"',
      ),
    );
    file("settings.yaml", settings("color: red").replace("\ndata:", "\ndta:"));
    const { code, err } = await run("apply -f settings.yaml");
    expect(code).toBe(1);
    expect(err).toContain('strict decoding error: unknown field "dta"');
  });

  it("warns if an object was not created by apply", async () => {
    await run("create configmap made");
    file("made.yaml", settings("color: red").replace("settings", "made"));
    const { code, out, err } = await run("apply -f made.yaml");
    expect({ code, out }).toEqual({ code: 0, out: "configmap/made configured\n" });
    expect(err).toContain("is missing the kubectl.kubernetes.io/last-applied-configuration annotation");
  });

  it("applies all objects of a file and reports each", async () => {
    const namespace = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: team\n";
    const inside = settings("a: b").replace("  name: settings", "  name: inside\n  namespace: team");
    file("all.yaml", `${namespace}---\n${inside}`);
    expect(await run("apply -f all.yaml")).toEqual(succeeds("namespace/team created", "configmap/inside created"));
    expect(await run("apply -f all.yaml")).toEqual(succeeds("namespace/team unchanged", "configmap/inside unchanged"));
  });
});

kubectlSuite("kubectl apply --server-side", ({ run, file }) => {
  const apply = "apply --server-side -f settings.yaml";

  it("creates an object and applies it again", async () => {
    file("settings.yaml", settings("color: blue", 'size: "3"'));
    expect(await run(apply)).toEqual(succeeds("configmap/settings serverside-applied"));
    expect(await run(apply)).toEqual(succeeds("configmap/settings serverside-applied"));
  });

  it("removes fields that its manager no longer applies", async () => {
    file("settings.yaml", settings("color: blue"));
    expect(await run(apply)).toEqual(succeeds("configmap/settings serverside-applied"));
    expect((await run(dataOf)).out).toBe('{"color":"blue"}');
  });

  it("allows two managers to own a field with the same value", async () => {
    expect(await run(`${apply} --field-manager=other`)).toEqual(succeeds("configmap/settings serverside-applied"));
    const managers = "get configmap settings --show-managed-fields -o jsonpath='{.metadata.managedFields[*].manager}'";
    expect((await run(managers)).out.split(" ").sort()).toEqual(["kubectl", "other"]);
  });

  it("reports a conflict with another manager", async () => {
    file("settings.yaml", settings("color: red"));
    expect(await run(`${apply} --field-manager=other`)).toEqual(
      fails('error: Apply failed with 1 conflict: conflict with "kubectl": .data.color', ...wayOut.split("\n")),
    );
  });

  it("lists all conflicts", async () => {
    await run("label configmap settings app=shop --overwrite");
    const { code, err } = await run(`${apply} --field-manager=other`);
    expect(code).toBe(1);
    expect(err).toContain(
      'error: Apply failed with 2 conflicts: conflicts with "kubectl":\n- .data.color\nconflicts with "kubectl-label" using v1',
    );
  });

  it("takes over fields with --force-conflicts", async () => {
    expect(await run(`${apply} --field-manager=other --force-conflicts`)).toEqual(
      succeeds("configmap/settings serverside-applied"),
    );
    expect((await run(dataOf)).out).toBe('{"color":"red"}');
  });

  it("supports dry runs", async () => {
    file("settings.yaml", settings("color: white"));
    expect(await run(`${apply} --force-conflicts --dry-run=server`)).toEqual(
      succeeds("configmap/settings serverside-applied (server dry run)"),
    );
    expect((await run(dataOf)).out).toBe('{"color":"red"}');
  });

  it("shows a diff", async () => {
    const { code, out } = await run("diff --server-side --force-conflicts -f settings.yaml");
    expect(code).toBe(1);
    expect(out).toContain("\n-  color: red\n+  color: white\n");
  });

  it("takes over fields of a client-side apply without a conflict", async () => {
    file("mine.yaml", settings("color: blue").replace("settings", "mine"));
    expect(await run("apply -f mine.yaml")).toEqual(succeeds("configmap/mine created"));
    file("mine.yaml", settings("color: red").replace("settings", "mine"));
    expect(await run("apply --server-side -f mine.yaml")).toEqual(succeeds("configmap/mine serverside-applied"));
  });

  it("rejects an unknown field", async () => {
    file("typo.yaml", settings("color: red").replace("\ndata:", "\ndta:"));
    const { code, err } = await run("apply --server-side --force-conflicts -f typo.yaml");
    expect(code).toBe(1);
    expect(err).toContain("dta: field not declared in schema");
  });
});
