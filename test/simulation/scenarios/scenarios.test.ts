import { describe, expect, it } from "vitest";
import { runScenario } from "./scenario.ts";
import { scenarios } from "./scenarios.ts";

describe("all invariants hold when", () => {
  for (const scenario of scenarios) {
    it(scenario.name, async () => {
      const { violation, lines } = await runScenario(scenario, "lines");
      expect(violation?.message, lines.join("\n")).toBeUndefined();
    });
  }
});
