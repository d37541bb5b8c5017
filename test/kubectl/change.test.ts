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

/** An editor program that replaces text in the given file. */
function editor(from: string, to: string): string {
  return `#!/usr/bin/env node
const { readFileSync, writeFileSync } = require("node:fs");
const file = process.argv[2];
writeFileSync(file, readFileSync(file, "utf8").replace(${JSON.stringify(from)}, ${JSON.stringify(to)}));
`;
}

const dataOf = "get configmap settings -o jsonpath='{.data}'";

kubectlSuite("kubectl edit, patch and replace", ({ run, file }) => {
  it("edits with the user's editor", async () => {
    file("settings.yaml", settings);
    await run("create -f settings.yaml");
    file("paint.cjs", editor("color: blue", "color: red"), 0o755);
    expect(await run("edit configmap settings", { env: { EDITOR: "./paint.cjs" } })).toEqual(
      succeeds("configmap/settings edited"),
    );
    expect((await run(dataOf)).out).toBe('{"color":"red"}');
  });

  it("sends nothing if the editor changed nothing", async () => {
    expect(await run("edit configmap settings", { env: { EDITOR: "./paint.cjs" } })).toEqual({
      ...succeeds(),
      err: "Edit cancelled, no changes made.\n",
    });
  });

  it("keeps the edited file if the server rejects it", async () => {
    file("break.cjs", editor("color: red", "color: [1]"), 0o755);
    const { code, err } = await run("edit configmap settings", { env: { EDITOR: "./break.cjs" } });
    expect(code).toBe(1);
    expect(err).toContain("A copy of your changes has been stored to");
    expect((await run(dataOf)).out).toBe('{"color":"red"}');
  });

  const patches: Record<string, [flags: string, message: string, data: string]> = {
    "with a strategic merge patch": [`-p '{"data":{"size":"3"}}'`, "patched", '{"color":"red","size":"3"}'],
    "without a change": [`-p '{"data":{"size":"3"}}'`, "patched (no change)", '{"color":"red","size":"3"}'],
    "with a merge patch": [`--type=merge -p '{"data":{"size":null,"x":"y"}}'`, "patched", '{"color":"red","x":"y"}'],
    "with a JSON patch": [
      `--type=json -p '[{"op":"test","path":"/data/x","value":"y"},{"op":"remove","path":"/data/x"}]'`,
      "patched",
      '{"color":"red"}',
    ],
    "in a dry run": [`--dry-run=server -p '{"data":{"color":"black"}}'`, "patched", '{"color":"red"}'],
  };
  for (const [name, [flags, text, data]] of Object.entries(patches)) {
    it(`patches ${name}`, async () => {
      expect(await run(`patch configmap settings ${flags}`)).toEqual(succeeds(`configmap/settings ${text}`));
      expect((await run(dataOf)).out).toBe(data);
    });
  }

  const rejected: Record<string, [line: string, message: string]> = {
    "a failed test operation": [
      `settings --type=json -p '[{"op":"test","path":"/data/color","value":"white"}]'`,
      "The request is invalid: the server rejected our request due to an error in our request",
    ],
    "a missing object": [
      `nosuch -p '{"data":{"a":"b"}}'`,
      'Error from server (NotFound): configmaps "nosuch" not found',
    ],
    "a value of another type": [
      `settings -p '{"data":{"color":3}}'`,
      'The request is invalid: patch: Invalid value: "map[data:map[color:3]]": data[color]: expected string, got number',
    ],
  };
  for (const [name, [line, text]] of Object.entries(rejected)) {
    it(`fails for ${name}`, async () => {
      expect(await run(`patch configmap ${line}`)).toEqual(fails(text));
    });
  }

  it("replaces an object, and recreates it with --force", async () => {
    const uid = "get configmap settings -o jsonpath='{.metadata.uid}'";
    const before = (await run(uid)).out;
    expect(await run("replace -f settings.yaml")).toEqual(succeeds("configmap/settings replaced"));
    expect((await run(uid)).out).toBe(before);
    expect(await run("replace --force -f settings.yaml")).toEqual(
      succeeds('configmap "settings" deleted from default namespace', "configmap/settings replaced"),
    );
    expect((await run(uid)).out).not.toBe(before);
  });

  it("does not replace a missing object", async () => {
    file("other.yaml", settings.replace("settings", "other"));
    expect(await run("replace -f other.yaml")).toEqual(
      fails('Error from server (NotFound): error when replacing "other.yaml": configmaps "other" not found'),
    );
  });

  it("does not replace an object that has changed meanwhile", async () => {
    file("read.yaml", (await run("get configmap settings -o yaml")).out);
    await run("label configmap settings changed=since");
    expect(await run("replace -f read.yaml")).toEqual(
      fails(
        'Error from server (Conflict): error when replacing "read.yaml": Operation cannot be fulfilled on configmaps "settings": the object has been modified; please apply your changes to the latest version and try again',
      ),
    );
  });
});

kubectlSuite("kubectl label and annotate", ({ run }) => {
  const steps: Record<string, [line: string, output: ReturnType<typeof succeeds>]> = {
    "creates a config map": ["create configmap settings", succeeds("configmap/settings created")],
    "adds a label": ["label cm settings tier=front", succeeds("configmap/settings labeled")],
    "does not overwrite a label": [
      "label cm settings tier=back",
      fails("error: 'tier' already has a value (front), and --overwrite is false"),
    ],
    "overwrites a label with --overwrite": [
      "label cm settings tier=back --overwrite",
      succeeds("configmap/settings labeled"),
    ],
    "lists labels": ["label cm settings --list", succeeds("tier=back")],
    "adds another label": ["label cm settings color=red", succeeds("configmap/settings labeled")],
    "removes a label": ["label cm settings tier-", succeeds("configmap/settings unlabeled")],
    "reports a missing label": [
      "label cm settings tier-",
      succeeds('label "tier" not found.', "configmap/settings not labeled"),
    ],
    "labels all objects of a kind": ["label cm --all app=web", succeeds("configmap/settings labeled")],
    "adds an annotation": ["annotate cm settings note=hello", succeeds("configmap/settings annotated")],
    "lists annotations": ["annotate cm settings --list", succeeds("note=hello")],
    "removes an annotation": ["annotate cm settings note-", succeeds("configmap/settings annotated")],
    "a missing object": ["label cm nosuch a=b", fails('Error from server (NotFound): configmaps "nosuch" not found')],
  };
  for (const [name, [line, output]] of Object.entries(steps)) {
    it(name, async () => {
      expect(await run(line)).toEqual(output);
    });
  }
});

kubectlSuite("kubectl set, scale and rollout", ({ run }) => {
  it("changes the pod template of a deployment", async () => {
    await run("create deployment web --image=nginx:1.27");
    expect(await run("set image deployment/web nginx=nginx:1.28")).toEqual(
      succeeds("deployment.apps/web image updated"),
    );
    expect(await run("set env deployment/web COLOR=blue")).toEqual(succeeds("deployment.apps/web env updated"));
    expect(await run("set resources deployment/web --limits=cpu=200m")).toEqual(
      succeeds("deployment.apps/web resource requirements updated"),
    );
    expect(await run("set serviceaccount deployment web robot")).toEqual(
      succeeds("deployment.apps/web serviceaccount updated"),
    );
    const pods = "get deployment web -o jsonpath='{.spec.template.spec.containers[0].image} {.metadata.generation}'";
    expect((await run(pods)).out).toBe("nginx:1.28 5");
  });

  it("scales a deployment", async () => {
    expect(await run("scale deployment web --replicas=5")).toEqual(succeeds("deployment.apps/web scaled"));
    expect(rows(await run("get deployment web"))[1]).toEqual(["web", "0/5", "0", "0", "AGE"]);
    expect(await run("scale deployment web --replicas=3 --current-replicas=9")).toEqual(
      fails("error: Expected replicas to be 9, was 5"),
    );
  });

  it("rejects a negative scale", async () => {
    const { code, err } = await run(`patch deployment web -p '{"spec":{"replicas":-1}}'`);
    expect({ code, err }).toEqual({
      code: 1,
      err: 'The Deployment "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0\n',
    });
  });

  it("waits for a rollout, which no controller of this server performs", async () => {
    expect(await run("rollout status deployment/web --timeout=1s")).toEqual({
      code: 1,
      out: "Waiting for deployment spec update to be observed...\n",
      err: "error: timed out waiting for the condition\n",
    });
  });

  it("restarts, pauses and resumes a rollout", async () => {
    expect(await run("rollout restart deployment/web")).toEqual(succeeds("deployment.apps/web restarted"));
    expect(await run("rollout pause deployment/web")).toEqual(succeeds("deployment.apps/web paused"));
    expect(await run("rollout resume deployment/web")).toEqual(succeeds("deployment.apps/web resumed"));
  });

  it("detects a rollout that is reported as complete", async () => {
    const generation = (await run("get deployment web -o jsonpath='{.metadata.generation}'")).out;
    const status = {
      observedGeneration: Number(generation),
      replicas: 5,
      updatedReplicas: 5,
      availableReplicas: 5,
      readyReplicas: 5,
    };
    await run(`patch deployment web --subresource=status --type=merge -p '${JSON.stringify({ status })}'`);
    expect(await run("rollout status deployment/web --timeout=30s")).toEqual(
      succeeds('deployment "web" successfully rolled out'),
    );
  });
});
