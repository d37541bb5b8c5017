import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { bundle } from "../../tools/bundle.ts";

const example = "examples/projects-per-organization";
/** All but those of guides, some of which are wrong on purpose. */
const examples = readdirSync("examples", { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== "guides")
  .map(({ name }) => `examples/${name}`);
let folder = "";

const program = "node_modules/.cache/milo-quota/offline/milo-quota.js";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "milo-quota-"));
  await bundle(program);
});
afterAll(() => rmSync(folder, { recursive: true }));

function run(args: string[], input = ""): { status: number | null; out: string; err: string } {
  const result = spawnSync(process.execPath, [program, ...args], { input, encoding: "utf8" });
  return { status: result.status, out: result.stdout, err: result.stderr };
}

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const head = "apiVersion: quota.miloapis.com/v1alpha1\nmetadata: { name: n }\n";

describe("milo-quota validate", () => {
  it("finds nothing wrong with the examples", () => {
    expect(run(["validate", ...examples])).toEqual({
      status: 0,
      out: "23 objects checked, 18 of other APIs passed over: no problems\n",
      err: "",
    });
  });

  it("tells every problem of every object, where it is, and exits with 1", () => {
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
      `${path}#1 ResourceGrant/n: spec.ownerRef: Forbidden: an early name: write consumerRef instead\n`,
    );
    expect(err).toContain(
      `${path}#2 ClaimCreationPolicy/n: spec.trigger.constraints[0].expression: Invalid value: "trigger.spec.x ==": ERROR: <input>:1:18:`,
    );
  });

  it("checks grants, claims and policies against registrations beside them", () => {
    const path = file(
      "claim.yaml",
      `${head}kind: ResourceClaim\nspec: { consumerRef: { kind: Namespace, name: a }, requests: [{ resourceType: resourcemanager.miloapis.com/projects, amount: 0 }] }\n`,
    );
    expect(run(["validate", path]).err).toBe(
      `${path}#1 ResourceClaim/n: spec.requests[0].amount: Invalid value: 0: must be greater than 0: a claim asks for something\n`,
    );
    const { status, err } = run(["validate", example, path]);
    expect(status).toBe(1);
    expect(err).toContain(
      'spec.consumerRef: Invalid value: "Namespace": "resourcemanager.miloapis.com/projects" is granted to and used by Organization.resourcemanager.miloapis.com',
    );
  });

  it("names fields and kinds that nobody knows", () => {
    const spec =
      "spec: { consumerRef: { kind: N, name: a }, requests: [{ resourceType: x, amount: 1, colour: red }] }\n";
    expect(run(["validate", "-"], `${head}kind: ResourceClaim\n${spec}`).err).toBe(
      "-#1 ResourceClaim/n: spec.requests[0].colour: Forbidden: unknown field\n",
    );
    expect(run(["validate", "-"], `${head}kind: ResourceThing\n`).err).toContain(
      'kind: Invalid value: "ResourceThing": not a kind of quota.miloapis.com: there are ResourceRegistration, ',
    );
    expect(
      run(["validate", "-"], "apiGroup: quota.miloapis.com\nkind: ResourceClaim\nmetadata: {}\nspec: {}\n").err,
    ).toContain("apiGroup: Forbidden: apiGroup is not a field of objects");
  });

  it("reads integers exactly", () => {
    const spec =
      "spec: { consumerRef: { kind: N, name: a }, requests: [{ resourceType: x, amount: 9223372036854775808 }] }\n";
    expect(run(["validate", "-"], `${head}kind: ResourceClaim\n${spec}`).err).toContain(
      "spec.requests[0].amount in body must be of type integer",
    );
  });

  it("tells misspelled fields beside what is missing for them", () => {
    const spec = "spec: { consumerRef: { kind: N, name: a }, requests: [{ resourceTyp: x, amount: 1 }] }\n";
    expect(run(["validate", "-"], `${head}kind: ResourceClaim\n${spec}`).err).toBe(
      "-#1 ResourceClaim/n: spec.requests[0].resourceType: Required value\n-#1 ResourceClaim/n: spec.requests[0].resourceTyp: Forbidden: unknown field\n",
    );
  });

  it("looks at names, namespaces and labels", () => {
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

  it("opens lists, as kubectl prints them", () => {
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

  it("checks everything it can read, and exits with 2 for what it cannot", () => {
    const bad = file("bad-claim.yaml", `${head}kind: ResourceClaim\nspec: {}\n`);
    const { status, err, out } = run(["validate", "nowhere.yaml", bad, "packages/kubernetes/src/protocol", example]);
    expect(status).toBe(2);
    expect(err).toMatch(
      /^error: cannot read nowhere\.yaml: no such file or directory\nerror: cannot read packages\/kubernetes\/src\/protocol: it holds no \.yaml, \.yml or \.json file\n/,
    );
    expect(err).toContain("spec.consumerRef: Required value");
    expect(out).toBe("4 objects checked, 6 of other APIs passed over, 2 paths not read: 2 problems\n");
  });

  it("calls nothing well of which it has read nothing", () => {
    expect(run(["validate", "/nowhere"])).toEqual({
      status: 2,
      out: "",
      err: "error: cannot read /nowhere: no such file or directory\n",
    });
  });

  const unusable: Record<string, [args: string[], input: string, message: RegExp]> = {
    "text that is no YAML": [["validate", "-"], "a: [", /^error: -: /],
    "a list": [["validate", "-"], "- a", /^error: -: document 1 is not an object\n$/],
    "aliases that grow without end": [
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

  it("knows its version", () => {
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

  it("shows the grant for an object, or says why there is none", () => {
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
      out: 'the conditions do not hold for this object: nothing is made\n  spec.trigger.constraints[0] is not true: trigger.status.phase == "Active"\n',
      err: "",
    });
  });

  it("finds out whose an object is where the policy does not say", () => {
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
      err: expect.stringContaining("no name of a project"),
    });
  });

  it("knows who asks", () => {
    const policy = file(
      "who.yaml",
      `${head}kind: ClaimCreationPolicy\nspec:\n  trigger: { resource: { apiVersion: v1, kind: Pod }, constraints: [{ expression: '"ops" in user.groups' }] }\n  target: { resourceClaimTemplate: { metadata: { annotations: { by: "{{ user.name }}" } }, spec: { consumerRef: { kind: Namespace, name: a }, requests: [{ resourceType: x, amount: 1 }] } } }\n`,
    );
    const pod = file("pod.yaml", "apiVersion: v1\nkind: Pod\nmetadata: { name: p, namespace: a }\n");
    const asked = run(["render", "--policy", policy, "--object", pod, "--user", "jane", "--group", "dev", "ops"]);
    expect(parse(asked.out)).toMatchObject({ metadata: { annotations: { by: "jane" } } });
    expect(run(["render", "--policy", policy, "--object", pod]).out).toContain("nothing is made");
  });

  it("says which condition does not hold, with the message of its author", () => {
    const policy = file(
      "conditions.yaml",
      `${head}kind: ClaimCreationPolicy\nspec:\n  trigger:\n    resource: { apiVersion: v1, kind: Pod }\n    conditions: [{ expression: 'true' }, { expression: 'trigger.metadata.labels.env == "prod"', message: only production counts }]\n  target: { resourceClaimTemplate: { spec: { consumerRef: { kind: Namespace, name: a }, requests: [{ resourceType: x, amount: 1 }] } } }\n`,
    );
    const pod = file("pod4.yaml", "apiVersion: v1\nkind: Pod\nmetadata: { name: p, namespace: a }\n");
    expect(run(["render", "--policy", policy, "--object", pod]).out).toBe(
      'the conditions do not hold for this object: nothing is made\n  spec.trigger.conditions[1] is not true: trigger.metadata.labels.env == "prod"\n  only production counts\n',
    );
  });

  it("says when nobody would ask the policy", () => {
    const pod = file("pod3.yaml", "apiVersion: v1\nkind: Pod\nmetadata: { name: p }\n");
    const rendered = run(["render", "--policy", `${example}/3-claim-policy.yaml`, "--object", pod]);
    expect(rendered).toEqual({
      status: 0,
      out: "the policy is about Project.resourcemanager.miloapis.com, not Pod: nothing is made\n",
      err: "",
    });
    const off = file(
      "off.yaml",
      `${head}kind: ClaimCreationPolicy\nspec:\n  disabled: true\n  trigger: { resource: { apiVersion: v1, kind: Pod } }\n  target: { resourceClaimTemplate: { spec: { consumerRef: { kind: Namespace, name: a }, requests: [{ resourceType: x, amount: 1 }] } } }\n`,
    );
    expect(run(["render", "--policy", off, "--object", pod]).out).toBe("the policy is switched off: nothing is made\n");
  });

  it("guesses the resource, unless told", () => {
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
      "conditions do not hold",
    );
  });

  it("exits with 1 when the policy does not work, and says why", () => {
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
      "a ResourceRegistration renders nothing: give a ClaimCreationPolicy or GrantCreationPolicy\n",
    );
  });

  it("takes one object from each file", () => {
    const two = file("two.yaml", "a: 1\n---\nb: 2\n");
    expect(run(["render", "--policy", two, "--object", two])).toMatchObject({
      status: 2,
      err: expect.stringContaining(`error: ${two} must hold one object\n`),
    });
  });
});

describe("milo-quota help", () => {
  it("shows the help of commands within commands", () => {
    const { status, out } = run(["help", "token", "create"]);
    expect([status, out]).toEqual([0, run(["token", "create", "--help"]).out]);
    expect(out).toMatch(/^Usage: milo-quota token create /);
    expect(run(["help"]).out).toBe(run(["--help"]).out);
  });

  const wrong: Record<string, [args: string[], err: string]> = {
    "a command that is not there": [
      ["help", "nope"],
      "unknown command 'nope'\n(milo-quota help shows what there is)\n",
    ],
    "a command that is not there in another": [
      ["help", "token", "nope"],
      "unknown command 'token nope'\n(milo-quota help token shows how it is used)\n",
    ],
    "a flag that is not there": [
      ["usage", "--nope"],
      "unknown option '--nope'\n(milo-quota help usage shows how it is used)\n",
    ],
    "a file that is not there": [
      ["render", "--policy", "nowhere", "--object", "nowhere"],
      "cannot read nowhere: no such file or directory\n(milo-quota help render shows how it is used)\n",
    ],
  };
  for (const [name, [args, err]] of Object.entries(wrong)) {
    it(`is what ${name} points to`, () => {
      expect(run(args)).toEqual({ status: 2, out: "", err: `error: ${err}` });
    });
  }
});
