import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CliWorld } from "./cli-world.ts";
import { ClusterHands, holds } from "./cluster-hands.ts";
import { configMap, policy, registration } from "./map-quota.ts";

const usual = "Delete resources you no longer need, or ask your platform team to raise the limit.";
let builder: CliWorld;
beforeAll(async () => {
  builder = await CliWorld.build();
}, 60_000);
afterAll(() => builder?.stop());

describe("what people are told to do when quota is not enough", () => {
  const cases: Record<string, [flags: readonly string[], advice: string]> = {
    "is something general": [[], usual],
    "is what those say who run the system": [
      ["--advice", " Fragen Sie unter https://example.com/quota nach – „gern“. "],
      "Fragen Sie unter https://example.com/quota nach – „gern“.",
    ],
  };
  for (const [name, [flags, advice]] of Object.entries(cases)) {
    it(`${name}: at the end of refusals, dry runs and simulations`, async () => {
      const world = builder.another();
      try {
        await world.up(flags);
        const hands = new ClusterHands(world.kubeconfig);
        // Nobody is granted any ConfigMap.
        for (const [manifest, condition] of [
          [registration, "Active"],
          [policy, "Ready"],
        ] as const) {
          expect(await hands.create(manifest)).toEqual([]);
          await hands.until(manifest, holds(condition));
        }
        const [refusal = ""] = await hands.create(configMap);
        expect(refusal).toMatch(/^Insufficient quota resources available: test\/maps /);
        expect(refusal.endsWith(` ${advice}`), refusal).toBe(true);
        const file = world.file("map.yaml", configMap);
        const { out } = await world.ask(["simulate-create", "-o", "json", "-f", file]);
        expect(JSON.parse(out).items[0].alone.message).toBe(refusal);
        await hands.close();
      } finally {
        await world.stop();
      }
    }, 60_000);
  }

  const wrong: Record<string, [advice: string, says: string]> = {
    "nothing but blanks": ["  ", "it says nothing; leave the flag out for the usual text"],
    "more than anybody reads": ["x".repeat(501), "it has 501 characters; at most 500 are read by anybody"],
    "more than a line": ["one\ntwo", "it must be one line, without control characters"],
  };
  for (const [name, [advice, says]] of Object.entries(wrong)) {
    it(`is not ${name}`, async () => {
      const { status, err } = await builder.run(["up", "--in-memory", "--advice", advice]);
      expect([status, err]).toEqual([2, expect.stringContaining(says)]);
    });
  }
});
