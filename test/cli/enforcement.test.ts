import { enforcementIn } from "@milo-quota/quota/cli/enforcement.ts";
import { enforcements } from "@milo-quota/quota/core/resources/enforcement.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CliTestEnv } from "./cli-test-env.ts";
import { ClusterClient, hasCondition } from "./cluster-client.ts";
import { configMap, policy, registration } from "./config-map-quota.ts";

let builder: CliTestEnv;
beforeAll(async () => {
  builder = await CliTestEnv.build();
}, 60_000);
afterAll(() => builder?.stop());

interface Case {
  readonly flags: readonly string[];
  readonly banner: RegExp;
  readonly rejections: number;
  readonly doctor: RegExp;
  /** Of the policy's condition Enforced; undefined if it has none. */
  readonly reason: string;
}

interface PolicyStatus {
  readonly status: { readonly conditions: readonly { readonly type: string; readonly reason: string }[] };
}

const cases: Record<string, Case> = {
  "rejects requests over quota by default": {
    flags: [],
    banner: /another terminal\. The fourth project is rejected:/,
    rejections: 1,
    doctor: /^ok {7}enforcement {4}requests over quota are rejected$/m,
    reason: "PolicyEnforced",
  },
  "admits requests over quota in Shadow mode": {
    flags: ["--enforcement", "Shadow"],
    banner:
      /^Enforcement is Shadow: policies only report what they would reject, and quota rejects nothing\.\n\nTry it in another terminal:/m,
    rejections: 0,
    doctor: /^warning {2}enforcement {4}Shadow: policies only report what they would reject/m,
    reason: "SystemShadow",
  },
  "skips the check in Off mode": {
    flags: ["--enforcement", "Off"],
    banner: /^Enforcement is Off: policies are not evaluated/m,
    rejections: 0,
    doctor:
      /^warning {2}enforcement {4}Off: policies are not evaluated.*\n {24}To reject requests over quota again, start/m,
    reason: "SystemOff",
  },
};

describe("milo-quota up", () => {
  for (const [name, { flags, banner, rejections, doctor, reason }] of Object.entries(cases)) {
    it(name, async () => {
      const env = builder.sibling();
      try {
        expect(await env.startServer(flags)).toMatch(banner);
        const client = new ClusterClient(env.kubeconfig);
        // There is no grant for ConfigMaps.
        for (const [manifest, condition] of [
          [registration, "Active"],
          [policy, "Ready"],
        ] as const) {
          expect(await client.create(manifest)).toEqual([]);
          await client.waitUntil(manifest, hasCondition(condition));
        }
        const { status } = (await client.waitUntil(policy, hasCondition("Ready"))) as unknown as PolicyStatus;
        expect(status.conditions.find(({ type }) => type === "Enforced")?.reason).toBe(reason);
        expect(await client.create(configMap)).toHaveLength(rejections);
        await client.close();
        expect((await env.runAsAdmin(["doctor"])).out).toMatch(doctor);
      } finally {
        await env.stop();
      }
    }, 60_000);
  }

  it("rejects other modes", async () => {
    const { status, err } = await builder.run(["up", "--in-memory", "--enforcement", "Sometimes"]);
    expect([status, err]).toEqual([2, expect.stringContaining("Allowed choices are Enforce, Shadow, Off.")]);
  });
});

describe("the enforcement mode", () => {
  it("is read from metrics", () => {
    for (const mode of enforcements) expect(enforcementIn(`milo_quota_enforcement{mode="${mode}"} 1`)).toBe(mode);
    for (const line of [
      "",
      "# HELP milo_quota_enforcement 1 for the way in which quota is enforced as a whole",
      'milo_quota_enforcement{mode="Off"} 0',
      'milo_quota_enforcement{mode="Perhaps"} 1',
    ]) {
      expect(enforcementIn(line)).toBeUndefined();
    }
  });
});
