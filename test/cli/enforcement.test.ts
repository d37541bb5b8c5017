import { enforcementIn } from "@milo-quota/quota/cli/enforcement.ts";
import { enforcements } from "@milo-quota/quota/core/resources/enforcement.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CliWorld } from "./cli-world.ts";
import { ClusterHands, holds } from "./cluster-hands.ts";
import { configMap, policy, registration } from "./map-quota.ts";

let builder: CliWorld;
beforeAll(async () => {
  builder = await CliWorld.build();
}, 60_000);
afterAll(() => builder?.stop());

interface Case {
  readonly flags: readonly string[];
  /** About enforcement, when it starts. */
  readonly welcome: RegExp;
  readonly refusals: number;
  readonly doctor: RegExp;
  /** Of the policy's condition about it; undefined when there is none. */
  readonly reason: string | undefined;
}

interface Told {
  readonly status: { readonly conditions: readonly { readonly type: string; readonly reason: string }[] };
}

const cases: Record<string, Case> = {
  "refuses what does not fit, unless it is told otherwise": {
    flags: [],
    welcome: /another terminal\. The fourth project is rejected:/,
    refusals: 1,
    doctor: /^ok {7}enforcement {4}what does not fit is refused$/m,
    reason: undefined,
  },
  "only watches, if it is told so": {
    flags: ["--enforcement", "Shadow"],
    welcome:
      /^Enforcement is Shadow: every policy only watches: nothing is refused for quota\.\n\nTry it in another terminal:/m,
    refusals: 0,
    doctor: /^warning {2}enforcement {4}Shadow: every policy only watches/m,
    reason: "SystemShadow",
  },
  "looks at nothing, if it is told so": {
    flags: ["--enforcement", "Off"],
    welcome: /^Enforcement is Off: no policy is asked when objects are created/m,
    refusals: 0,
    doctor: /^warning {2}enforcement {4}Off: no policy is asked .*\n {24}When it is to be refused again, start/m,
    reason: "SystemOff",
  },
};

describe("milo-quota up", () => {
  for (const [name, { flags, welcome, refusals, doctor, reason }] of Object.entries(cases)) {
    it(name, async () => {
      const world = builder.another();
      try {
        expect(await world.up(flags)).toMatch(welcome);
        const hands = new ClusterHands(world.kubeconfig);
        // Nobody is granted any ConfigMap.
        for (const [manifest, condition] of [
          [registration, "Active"],
          [policy, "Ready"],
        ] as const) {
          expect(await hands.create(manifest)).toEqual([]);
          await hands.until(manifest, holds(condition));
        }
        const { status } = (await hands.until(policy, holds("Ready"))) as unknown as Told;
        expect(status.conditions.find(({ type }) => type === "Enforced")?.reason).toBe(reason);
        expect(await hands.create(configMap)).toHaveLength(refusals);
        await hands.close();
        expect((await world.ask(["doctor"])).out).toMatch(doctor);
      } finally {
        await world.stop();
      }
    }, 60_000);
  }

  it("knows no other way", async () => {
    const { status, err } = await builder.run(["up", "--in-memory", "--enforcement", "Sometimes"]);
    expect([status, err]).toEqual([2, expect.stringContaining("Allowed choices are Enforce, Shadow, Off.")]);
  });
});

describe("enforcement", () => {
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
