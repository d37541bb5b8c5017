import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { bundle } from "../../tools/bundle.ts";

const example = "examples/projects-per-organization";
/** Without the examples of guides, some of which are invalid on purpose. */
const examples = readdirSync("examples", { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== "guides")
  .map(({ name }) => `examples/${name}`);
let directory = "";

const program = "node_modules/.cache/milo-quota/offline/milo-quota.js";

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "milo-quota-"));
  await bundle(program);
});
afterAll(() => rmSync(directory, { recursive: true }));

function run(args: string[], input = ""): { status: number | null; out: string; err: string } {
  const result = spawnSync(process.execPath, [program, ...args], { input, encoding: "utf8" });
  return { status: result.status, out: result.stdout, err: result.stderr };
}

function file(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

const head = "apiVersion: quota.miloapis.com/v1alpha1\nmetadata: { name: n }\n";

describe("milo-quota validate", () => {
  it("accepts the examples", () => {
    expect(run(["validate", ...examples])).toEqual({
      status: 0,
      out: "30 objects checked, 22 of other APIs skipped: no problems\n",
      err: "",
    });
  });

  it("reports every problem of every object with its position, and exits with 1", () => {
    const path = file(
      "bad.yaml",
      `${head}kind: ResourceGrant\nspec: { ownerRef: { kind: Organization, name: a }, allowances: [{ resourceTypeName: x, amount: 1 }] }
---
${head}kind: ClaimCreationPolicy
spec:
  trigger: { resource: { apiVersion: v1, kind: Pod }, constraints: [{ expression: trigger.spec.x == }] }
  target: { resourceClaimTemplate: { spec: { requests: [{ resourceType: x, amount: 1 }] } } }
`,
    );
    const { status, out, err } = run(["validate", path]);
    expect(status).toBe(1);
    expect(out).toMatch(/^2 objects checked: [0-9]+ problems\n$/);
    expect(err).toContain(`${path}#1 ResourceGrant/n: spec.consumerRef: Required value\n`);
    expect(err).toContain(
      `${path}#1 ResourceGrant/n: spec.ownerRef: Forbidden: unknown field; use consumerRef instead\n`,
    );
    expect(err).toContain(
      `${path}#2 ClaimCreationPolicy/n: spec.trigger.constraints[0].expression: Invalid value: "trigger.spec.x ==": ERROR: <input>:1:18:`,
    );
  });

  it("checks grants, claims and policies against the registrations in the files", () => {
    const path = file(
      "claim.yaml",
      `${head}kind: ResourceClaim\nspec: { consumerRef: { kind: Namespace, name: a }, requests: [{ resourceType: resourcemanager.miloapis.com/projects, amount: 0 }] }\n`,
    );
    expect(run(["validate", path]).err).toBe(
      `${path}#1 ResourceClaim/n: spec.requests[0].amount: Invalid value: 0: must be greater than 0\n`,
    );
    const { status, err } = run(["validate", example, path]);
    expect(status).toBe(1);
    expect(err).toContain(
      'spec.consumerRef: Invalid value: "Namespace": "resourcemanager.miloapis.com/projects" is granted to and used by Organization.resourcemanager.miloapis.com',
    );
  });

  it("reports unknown fields and kinds", () => {
    const spec =
      "spec: { consumerRef: { kind: N, name: a }, requests: [{ resourceType: x, amount: 1, colour: red }] }\n";
    expect(run(["validate", "-"], `${head}kind: ResourceClaim\n${spec}`).err).toBe(
      "-#1 ResourceClaim/n: spec.requests[0].colour: Forbidden: unknown field\n",
    );
    expect(run(["validate", "-"], `${head}kind: ResourceThing\n`).err).toContain(
      'kind: Invalid value: "ResourceThing": not a kind of quota.miloapis.com, which has ResourceRegistration, ',
    );
    expect(
      run(["validate", "-"], "apiGroup: quota.miloapis.com\nkind: ResourceClaim\nmetadata: {}\nspec: {}\n").err,
    ).toContain("apiGroup: Forbidden: unknown field; use apiVersion: quota.miloapis.com/v1alpha1 instead");
  });

  it("parses integers exactly", () => {
    const spec =
      "spec: { consumerRef: { kind: N, name: a }, requests: [{ resourceType: x, amount: 9223372036854775808 }] }\n";
    expect(run(["validate", "-"], `${head}kind: ResourceClaim\n${spec}`).err).toContain(
      "spec.requests[0].amount in body must be of type integer",
    );
  });

  it("reports misspelled fields together with the missing ones", () => {
    const spec = "spec: { consumerRef: { kind: N, name: a }, requests: [{ resourceTyp: x, amount: 1 }] }\n";
    expect(run(["validate", "-"], `${head}kind: ResourceClaim\n${spec}`).err).toBe(
      "-#1 ResourceClaim/n: spec.requests[0].resourceType: Required value\n-#1 ResourceClaim/n: spec.requests[0].resourceTyp: Forbidden: unknown field\n",
    );
  });

  it("checks names, namespaces and labels", () => {
    const object = `apiVersion: quota.miloapis.com/v1alpha1
kind: ResourceRegistration
metadata: { name: Bad_Name, namespace: n, labels: { "a b": c } }
spec: { resourceType: x, type: Entity, baseUnit: x, consumerType: { apiGroup: "", kind: Namespace } }
`;
    const { err } = run(["validate", "-"], object);
    expect(err).toContain('metadata.name: Invalid value: "Bad_Name"');
    expect(err).toContain("metadata.namespace: Forbidden: not allowed on this type");
    expect(err).toContain('metadata.labels: Invalid value: "a b"');
  });

  it("expands lists, as kubectl prints them", () => {
    const claim = {
      apiVersion: "quota.miloapis.com/v1alpha1",
      kind: "ResourceClaim",
      metadata: { name: "c" },
      spec: {},
    };
    const { err, out } = run(
      ["validate", "-"],
      JSON.stringify({ apiVersion: "v1", kind: "List", items: [claim, claim] }),
    );
    expect(err).toContain("-#1.2 ResourceClaim/c: spec.consumerRef: Required value\n");
    expect(out).toBe("2 objects checked: 4 problems\n");
  });

  it("checks all readable files, and exits with 2 if one is not readable", () => {
    const bad = file("bad-claim.yaml", `${head}kind: ResourceClaim\nspec: {}\n`);
    const { status, err, out } = run(["validate", "nowhere.yaml", bad, "packages/kubernetes/src/protocol", example]);
    expect(status).toBe(2);
    expect(err).toMatch(
      /^error: cannot read nowhere\.yaml: no such file or directory\nerror: cannot read packages\/kubernetes\/src\/protocol: the directory has no \.yaml, \.yml or \.json files\n/,
    );
    expect(err).toContain("spec.consumerRef: Required value");
    expect(out).toBe("4 objects checked, 6 of other APIs skipped, 2 paths not read: 2 problems\n");
  });

  it("prints no summary if it could read nothing", () => {
    expect(run(["validate", "/nowhere"])).toEqual({
      status: 2,
      out: "",
      err: "error: cannot read /nowhere: no such file or directory\n",
    });
  });

  const unusable: Record<string, [args: string[], input: string, message: RegExp]> = {
    "invalid YAML": [["validate", "-"], "a: [", /^error: -: /],
    "a list": [["validate", "-"], "- a", /^error: -: document 1 is not an object\n$/],
    "aliases that expand without limit": [
      ["validate", "-"],
      `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c]\n`,
      /^error: -: .*alias/,
    ],
    "no path": [["validate"], "", /missing required argument 'path'/],
    "an unknown command": [["nonsense"], "", /unknown command 'nonsense'/],
  };
  for (const [name, [args, input, message]] of Object.entries(unusable)) {
    it(`exits with 2 on ${name}`, () => {
      const { status, err } = run(args, input);
      expect([status, err]).toEqual([2, expect.stringMatching(message)]);
    });
  }

  it("prints its version", () => {
    expect(run(["--version"])).toEqual({ status: 0, out: "0.1.0\n", err: "" });
  });
});

describe("milo-quota render", () => {
  it("shows the claim for an object", () => {
    const { status, out } = run([
      "render",
      "--policy",
      `${example}/3-claim-policy.yaml`,
      "--object",
      `${example}/try/project.yaml`,
    ]);
    expect(status).toBe(0);
    expect(parse(out)).toMatchObject({
      kind: "ResourceClaim",
      metadata: { name: expect.stringMatching(/^one-project-[a-z2-7]{20}$/), namespace: "organization-acme-corp" },
      spec: {
        consumerRef: { apiGroup: "resourcemanager.miloapis.com", kind: "Organization", name: "acme-corp" },
        requests: [{ resourceType: "resourcemanager.miloapis.com/projects", amount: 1 }],
        resourceRef: { apiGroup: "resourcemanager.miloapis.com", kind: "Project", name: "web-app" },
      },
    });
  });

  it("shows the grant for an object, or explains why there is none", () => {
    const organization = (phase: string): string =>
      file(
        `organization-${phase}.yaml`,
        `apiVersion: resourcemanager.miloapis.com/v1alpha1\nkind: Organization\nmetadata: { name: acme }\nstatus: { phase: ${phase} }\n`,
      );
    const policy = ["render", "--policy", `${example}/2-grant-policy.yaml`, "--object"];
    expect(parse(run([...policy, organization("Active")]).out)).toMatchObject({
      kind: "ResourceGrant",
      spec: { consumerRef: { name: "acme" } },
    });
    expect(run([...policy, organization("Pending")])).toEqual({
      status: 0,
      out: 'nothing rendered: the object does not match the policy\'s conditions\n  spec.trigger.constraints[0] is not true: trigger.status.phase == "Active"\n',
      err: "",
    });
  });

  it("derives the consumer from the object if the policy names none", () => {
    const requests = "requests: [{ resourceType: x, amount: 1 }]";
    const policyOf = (apiVersion: string, kind: string): string =>
      file(
        `own-${kind}.yaml`,
        `${head}kind: ClaimCreationPolicy\nspec:\n  trigger: { resource: { apiVersion: ${apiVersion}, kind: ${kind} } }\n  target: { resourceClaimTemplate: { spec: { ${requests} } } }\n`,
      );
    const map = (namespace: string): string =>
      file(
        `map-${namespace}.yaml`,
        `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: m, namespace: ${namespace} }\n`,
      );
    const render = (policy: string, object: string, ...flags: string[]) =>
      run(["render", "--policy", policy, "--object", object, ...flags]);
    const made = (...args: Parameters<typeof render>) => {
      const { metadata, spec } = parse(render(...args).out);
      return [spec.consumerRef.kind, spec.consumerRef.name, metadata.namespace];
    };
    const projects = policyOf("resourcemanager.miloapis.com/v1alpha1", "Project");
    const maps = policyOf("v1", "ConfigMap");
    expect(made(projects, `${example}/try/project.yaml`)).toEqual([
      "Organization",
      "acme-corp",
      "organization-acme-corp",
    ]);
    expect(made(maps, map("organization-acme"))).toEqual(["Organization", "acme", "organization-acme"]);
    expect(made(maps, map("default"), "--project", "web")).toEqual(["Project", "web", "default"]);
    expect(render(maps, map("default"))).toMatchObject({
      status: 1,
      err: expect.stringContaining(
        'names no consumerRef, and ConfigMap "default/m" belongs to no project or organization',
      ),
    });
    expect(render(maps, map("default"), "--project", "a.b")).toMatchObject({
      status: 2,
      err: expect.stringContaining("not a valid project name"),
    });
  });

  it("evaluates the policy for the given user", () => {
    const policy = file(
      "who.yaml",
      `${head}kind: ClaimCreationPolicy\nspec:\n  trigger: { resource: { apiVersion: v1, kind: Pod }, constraints: [{ expression: '"ops" in user.groups' }] }\n  target: { resourceClaimTemplate: { metadata: { annotations: { by: "{{ user.name }}" } }, spec: { consumerRef: { kind: Namespace, name: a }, requests: [{ resourceType: x, amount: 1 }] } } }\n`,
    );
    const pod = file("pod.yaml", "apiVersion: v1\nkind: Pod\nmetadata: { name: p, namespace: a }\n");
    const rendered = run(["render", "--policy", policy, "--object", pod, "--user", "jane", "--group", "dev", "ops"]);
    expect(parse(rendered.out)).toMatchObject({ metadata: { annotations: { by: "jane" } } });
    expect(run(["render", "--policy", policy, "--object", pod]).out).toContain("nothing rendered: ");
  });

  it("names the condition that does not match, with its message", () => {
    const policy = file(
      "conditions.yaml",
      `${head}kind: ClaimCreationPolicy\nspec:\n  trigger:\n    resource: { apiVersion: v1, kind: Pod }\n    conditions: [{ expression: 'true' }, { expression: 'trigger.metadata.labels.env == "prod"', message: only production counts }]\n  target: { resourceClaimTemplate: { spec: { consumerRef: { kind: Namespace, name: a }, requests: [{ resourceType: x, amount: 1 }] } } }\n`,
    );
    const pod = file("pod4.yaml", "apiVersion: v1\nkind: Pod\nmetadata: { name: p, namespace: a }\n");
    expect(run(["render", "--policy", policy, "--object", pod]).out).toBe(
      'nothing rendered: the object does not match the policy\'s conditions\n  spec.trigger.conditions[1] is not true: trigger.metadata.labels.env == "prod"\n  only production counts\n',
    );
  });

  it("explains why a policy is not evaluated", () => {
    const pod = file("pod3.yaml", "apiVersion: v1\nkind: Pod\nmetadata: { name: p }\n");
    const rendered = run(["render", "--policy", `${example}/3-claim-policy.yaml`, "--object", pod]);
    expect(rendered).toEqual({
      status: 0,
      out: "nothing rendered: the policy applies to Project.resourcemanager.miloapis.com, not Pod\n",
      err: "",
    });
    const off = file(
      "off.yaml",
      `${head}kind: ClaimCreationPolicy\nspec:\n  disabled: true\n  trigger: { resource: { apiVersion: v1, kind: Pod } }\n  target: { resourceClaimTemplate: { spec: { consumerRef: { kind: Namespace, name: a }, requests: [{ resourceType: x, amount: 1 }] } } }\n`,
    );
    expect(run(["render", "--policy", off, "--object", pod]).out).toBe("nothing rendered: the policy is disabled\n");
  });

  it("guesses the resource unless it is given", () => {
    const policy = file(
      "resource.yaml",
      `${head}kind: ClaimCreationPolicy\nspec:\n  trigger: { resource: { apiVersion: networking.k8s.io/v1, kind: NetworkPolicy }, constraints: [{ expression: 'requestInfo.resource == "networkpolicies"' }] }\n  target: { resourceClaimTemplate: { spec: { consumerRef: { kind: Namespace, name: a }, requests: [{ resourceType: x, amount: 1 }] } } }\n`,
    );
    const object = file(
      "np.yaml",
      "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: { name: p, namespace: a }\n",
    );
    expect(parse(run(["render", "--policy", policy, "--object", object]).out)).toMatchObject({ kind: "ResourceClaim" });
    expect(run(["render", "--policy", policy, "--object", object, "--resource", "other"]).out).toContain(
      "does not match the policy's conditions",
    );
  });

  it("exits with 1 if the policy fails to evaluate, and explains why", () => {
    const pod = file(
      "project2.yaml",
      "apiVersion: resourcemanager.miloapis.com/v1alpha1\nkind: Project\nmetadata: { name: p }\n",
    );
    const { status, err } = run(["render", "--policy", `${example}/3-claim-policy.yaml`, "--object", pod]);
    expect([status, err]).toEqual([
      1,
      expect.stringContaining(
        'ClaimCreationPolicy "one-project": spec.target.resourceClaimTemplate.spec.consumerRef.name: {{ trigger.spec.ownerRef.name }}: no such key: spec',
      ),
    ]);
    expect(run(["render", "--policy", `${example}/1-registration.yaml`, "--object", pod]).err).toBe(
      "cannot render a ResourceRegistration: pass a ClaimCreationPolicy or GrantCreationPolicy\n",
    );
  });

  it("requires exactly one object in each file", () => {
    const two = file("two.yaml", "a: 1\n---\nb: 2\n");
    expect(run(["render", "--policy", two, "--object", two])).toMatchObject({
      status: 2,
      err: expect.stringContaining(`error: ${two} must contain exactly one object\n`),
    });
  });
});

describe("milo-quota help", () => {
  it("shows the help of subcommands", () => {
    const { status, out } = run(["help", "token", "create"]);
    expect([status, out]).toEqual([0, run(["token", "create", "--help"]).out]);
    expect(out).toMatch(/^Usage: milo-quota token create /);
    expect(run(["help"]).out).toBe(run(["--help"]).out);
  });

  const wrong: Record<string, [args: string[], err: string]> = {
    "an unknown command": [["help", "nope"], "unknown command 'nope'\nSee 'milo-quota help' for a list of commands.\n"],
    "an unknown subcommand": [
      ["help", "token", "nope"],
      "unknown command 'token nope'\nSee 'milo-quota help token' for usage.\n",
    ],
    "an unknown flag": [["usage", "--nope"], "unknown option '--nope'\nSee 'milo-quota help usage' for usage.\n"],
    "a missing file": [
      ["render", "--policy", "nowhere", "--object", "nowhere"],
      "cannot read nowhere: no such file or directory\nSee 'milo-quota help render' for usage.\n",
    ],
  };
  for (const [name, [args, err]] of Object.entries(wrong)) {
    it(`is suggested for ${name}`, () => {
      expect(run(args)).toEqual({ status: 2, out: "", err: `error: ${err}` });
    });
  }
});
