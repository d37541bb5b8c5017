import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CliTestEnv } from "./cli-test-env.ts";
import { ClusterClient, hasCondition } from "./cluster-client.ts";
import { configMap, policy, registration } from "./config-map-quota.ts";

const defaultAdvice = "Delete resources you no longer need, or ask your platform team to raise the limit.";
let builder: CliTestEnv;
beforeAll(async () => {
  builder = await CliTestEnv.build();
}, 60_000);
afterAll(() => builder?.stop());

describe("the advice in rejections", () => {
  const cases: Record<string, [flags: readonly string[], advice: string]> = {
    "has a default": [[], defaultAdvice],
    "can be set with --advice": [
      ["--advice", " Fragen Sie unter https://example.com/quota nach – „gern“. "],
      "Fragen Sie unter https://example.com/quota nach – „gern“.",
    ],
  };
  for (const [name, [flags, advice]] of Object.entries(cases)) {
    it(`${name}, and ends rejections, dry runs and simulations`, async () => {
      const env = builder.sibling();
      try {
        await env.startServer(flags);
        const client = new ClusterClient(env.kubeconfig);
        // There is no grant for ConfigMaps.
        for (const [manifest, condition] of [
          [registration, "Active"],
          [policy, "Ready"],
        ] as const) {
          expect(await client.create(manifest)).toEqual([]);
          await client.waitUntil(manifest, hasCondition(condition));
        }
        const [rejection = ""] = await client.create(configMap);
        expect(rejection).toMatch(/^configmaps ".+" is forbidden: Insufficient quota resources available: test\/maps /);
        expect(rejection.endsWith(` ${advice}`), rejection).toBe(true);
        const file = env.writeFile("map.yaml", configMap);
        const { out } = await env.runAsAdmin(["simulate-create", "-o", "json", "-f", file]);
        expect(JSON.parse(out).items[0].alone.message).toBe(rejection);
        await client.close();
      } finally {
        await env.stop();
      }
    }, 60_000);
  }

  const wrong: Record<string, [advice: string, message: string]> = {
    empty: ["  ", "must not be empty; omit the flag for the default text"],
    "too long": ["x".repeat(501), "must have at most 500 characters, not 501"],
    "more than one line": ["one\ntwo", "must be a single line without control characters"],
  };
  for (const [name, [advice, message]] of Object.entries(wrong)) {
    it(`cannot be ${name}`, async () => {
      const { status, err } = await builder.run(["up", "--in-memory", "--advice", advice]);
      expect([status, err]).toEqual([2, expect.stringContaining(message)]);
    });
  }
});
