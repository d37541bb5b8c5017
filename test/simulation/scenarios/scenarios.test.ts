import { describe, expect, it } from "vitest";
import { runScenario } from "./scenario.ts";
import { scenarios } from "./scenarios.ts";

describe("nothing goes wrong when", () => {
  for (const scenario of scenarios) {
    it(scenario.name, async () => {
      const { broken, lines } = await runScenario(scenario, "lines");
      expect(broken?.message, lines.join("\n")).toBeUndefined();
    });
  }
});
