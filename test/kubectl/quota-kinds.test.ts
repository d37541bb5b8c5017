import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fails, rows, succeeds } from "./command-result.ts";
import { kubectlSuite } from "./kubectl-suite.ts";

const root = join(import.meta.dirname, "../..");
const definitions = readdirSync(join(root, "deploy/crds")).sort();

function example(name: string): string {
  return readFileSync(join(root, "examples/projects-per-organization", `${name}.yaml`), "utf8");
}

const claim = {
  apiVersion: "quota.miloapis.com/v1alpha1",
  kind: "ResourceClaim",
  metadata: { name: "first" },
  spec: {
    consumerRef: { apiGroup: "resourcemanager.miloapis.com", kind: "Organization", name: "acme-corp" },
    requests: [{ resourceType: "resourcemanager.miloapis.com/projects", amount: 1 }],
  },
};

const grant = {
  apiVersion: "quota.miloapis.com/v1alpha1",
  kind: "ResourceGrant",
  metadata: { name: "three" },
  spec: {
    consumerRef: claim.spec.consumerRef,
    allowances: [{ resourceType: "resourcemanager.miloapis.com/projects", buckets: [{ amount: 3 }] }],
  },
};

function condition(type: string, reason: string, status: "True" | "False") {
  return {
    type,
    reason,
    status,
    message: "All 1 resource requests have been granted",
    lastTransitionTime: "2030-01-01T00:00:00Z",
  };
}

kubectlSuite("kubectl with the quota kinds", ({ run, file }) => {
  it("applies all CRDs, and again without a change", async () => {
    for (const name of definitions) file(name, readFileSync(join(root, "deploy/crds", name), "utf8"));
    const files = definitions.map((name) => `-f ${name}`).join(" ");
    const names = definitions.map((name) => {
      const [group, plural] = name.replace(".yaml", "").split("_");
      return `customresourcedefinition.apiextensions.k8s.io/${plural}.${group}`;
    });
    expect(await run(`apply ${files}`)).toEqual(succeeds(...names.map((name) => `${name} created`)));
    expect(await run(`wait --for=condition=Established --timeout=30s ${files}`)).toEqual(
      succeeds(...names.map((name) => `${name} condition met`)),
    );
    expect(await run(`apply ${files}`)).toEqual(succeeds(...names.map((name) => `${name} unchanged`)));
    expect(await run(`apply --server-side ${files}`)).toEqual(
      succeeds(...names.map((name) => `${name} serverside-applied`)),
    );
  });

  it("lists the kinds with their short names", async () => {
    const shown = rows(await run("api-resources --api-group=quota.miloapis.com"));
    expect(shown.slice(1).map(([plural, shortName, , namespaced]) => [plural, shortName, namespaced])).toEqual([
      ["allowancebuckets", "abucket", "true"],
      ["claimcreationpolicies", "ccpolicy", "false"],
      ["effectiveresourcegrants", "ergrant", "true"],
      ["grantcreationpolicies", "gcpolicy", "false"],
      ["resourceclaims", "rclaim", "true"],
      ["resourcegrants", "rgrant", "true"],
      ["resourceregistrations", "rreg", "false"],
    ]);
  });

  it("has its own category and does not use the short name of ResourceQuota", async () => {
    expect((await run("get quota")).err).toBe('error: the server doesn\'t have a resource type "quota"\n');
    expect((await run("get milo-quota")).err).toBe("No resources found\n");
    expect((await run("api-resources --categories=milo-quota -o name")).out.trim().split("\n")).toHaveLength(7);
  });

  it("rejects early field names, and does not explain them", async () => {
    const { consumerRef, ...spec } = grant.spec;
    file("early.json", JSON.stringify({ ...grant, spec: { ...spec, ownerRef: consumerRef } }));
    const { code, err } = await run("apply -f early.json");
    expect(code).toBe(1);
    expect(err).toContain('unknown field "spec.ownerRef"');
    const requests = [{ resourceTypeName: "x", amount: 1 }];
    file("early.json", JSON.stringify({ ...claim, spec: { ...claim.spec, requests } }));
    expect((await run("apply -f early.json")).err).toContain('unknown field "spec.requests[0].resourceTypeName"');
    const explained = await run("explain resourcegrant.spec --recursive");
    expect(explained.out).toContain("consumerRef");
    expect(explained.out).not.toMatch(/ownerRef|resourceTypeName/);
  });

  it("creates the objects of the example", async () => {
    for (const name of ["1-registration", "2-grant-policy", "3-claim-policy"]) file(`${name}.yaml`, example(name));
    expect(await run("apply -f 1-registration.yaml -f 2-grant-policy.yaml -f 3-claim-policy.yaml")).toEqual(
      succeeds(
        "resourceregistration.quota.miloapis.com/projects-per-organization created",
        "grantcreationpolicy.quota.miloapis.com/three-projects created",
        "claimcreationpolicy.quota.miloapis.com/one-project created",
      ),
    );
  });

  it("creates a grant and a claim", async () => {
    file("grant.json", JSON.stringify(grant));
    file("claim.json", JSON.stringify(claim));
    expect(await run("create -f grant.json -f claim.json")).toEqual(
      succeeds("resourcegrant.quota.miloapis.com/three created", "resourceclaim.quota.miloapis.com/first created"),
    );
  });

  const tables: Record<string, [line: string, table: readonly (readonly string[])[]]> = {
    "claims, pending from the start": [
      "get resourceclaims",
      [
        ["NAME", "GRANTED", "REASON", "CONSUMER", "RESOURCE", "AMOUNTS", "AGE"],
        ["first", "False", "PendingEvaluation", "acme-corp", "", "", "AGE"],
      ],
    ],
    "grants by their short name, pending from the start": [
      "get rgrant",
      [
        ["NAME", "CONSUMER", "AMOUNTS", "ACTIVE", "AGE"],
        ["three", "acme-corp", "", "Unknown", "AGE"],
      ],
    ],
    "registrations, pending from the start": [
      "get resourceregistrations",
      [
        ["NAME", "RESOURCE TYPE", "TYPE", "CONSUMER", "ACTIVE", "AGE"],
        ["projects-per-organization", "resourcemanager.miloapis.com/projects", "Entity", "", "False", "AGE"],
      ],
    ],
    "policies for grants": [
      "get gcpolicy",
      [
        ["NAME", "TRIGGER", "ENABLED", "READY", "REASON", "AGE"],
        ["three-projects", "Organization", "", "", "", "AGE"],
      ],
    ],
    "policies for claims": [
      "get claimcreationpolicies",
      [
        ["NAME", "TRIGGER", "MODE", "ENABLED", "READY", "REASON", "AGE"],
        ["one-project", "Project", "Enforce", "", "", "", "AGE"],
      ],
    ],
  };
  for (const [name, [line, table]] of Object.entries(tables)) {
    it(`shows ${name}`, async () => {
      expect(rows(await run(line))).toEqual(table);
    });
  }

  it("selects claims by their fields", async () => {
    const select = "get resourceclaims -o name --field-selector spec.consumerRef.name";
    expect(await run(`${select}=acme-corp`)).toEqual(succeeds("resourceclaim.quota.miloapis.com/first"));
    expect(await run(`${select}=other`)).toEqual(succeeds());
  });

  it("reports errors of a claim", async () => {
    const bad = { ...claim, metadata: { name: "bad" }, spec: { ...claim.spec, requests: [] } };
    file("bad.json", JSON.stringify(bad));
    expect(await run("create -f bad.json")).toEqual(
      fails(
        'The ResourceClaim "bad" is invalid: spec.requests: Invalid value: 0: spec.requests in body should have at least 1 items',
      ),
    );
  });

  it("rejects changes of a claim's requests", async () => {
    expect(
      await run(`patch rclaim first --type=json -p '[{"op":"replace","path":"/spec/requests/0/amount","value":2}]'`),
    ).toEqual(
      fails(
        'The ResourceClaim "first" is invalid: spec: Forbidden: a claim is immutable: delete it and create another',
      ),
    );
  });

  it("preserves amounts beyond 2^53", async () => {
    const amounts = "get rgrant large -o jsonpath='{.spec.allowances[0].buckets[0].amount}'";
    const large = JSON.stringify({ ...grant, metadata: { name: "large" } }).replace(
      '"amount":3',
      '"amount":9007199254740993',
    );
    expect((await run("create -f -", { stdin: large })).code).toBe(0);
    expect((await run(amounts)).out).toBe("9007199254740993");
    expect((await run("label rgrant large seen=yes")).code).toBe(0);
    expect((await run(amounts)).out).toBe("9007199254740993");
  });

  it("shows the status", async () => {
    const status = { conditions: [condition("Granted", "QuotaAvailable", "True")] };
    const patch = JSON.stringify({ status });
    expect(await run(`patch rclaim first --subresource=status --type=merge -p '${patch}'`)).toEqual(
      succeeds("resourceclaim.quota.miloapis.com/first patched"),
    );
    expect(await run("wait --for=condition=Granted rclaim/first --timeout=10s")).toEqual(
      succeeds("resourceclaim.quota.miloapis.com/first condition met"),
    );
    expect(rows(await run("get rclaim"))[1]?.slice(0, 3)).toEqual(["first", "True", "QuotaAvailable"]);
  });

  it("explains a claim", async () => {
    const { code, out } = await run("explain resourceclaim.spec");
    expect(code).toBe(0);
    expect(out).toMatch(/^GROUP: {6}quota\.miloapis\.com\nKIND: {7}ResourceClaim\nVERSION: {4}v1alpha1\n/);
    expect(out).toContain("  requests\t<[]Object> -required-\n");
  });

  it("describes a claim", async () => {
    const { out } = await run("describe resourceclaim first");
    expect(out).toContain("  Requests:\n    Amount:         1\n");
  });
});
