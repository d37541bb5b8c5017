import { metricSections } from "@milo-quota/quota/embedded/metrics/all-metrics.ts";
import { describe, expect, it } from "vitest";
import { metricAlerts } from "./metric-alerts.ts";

const metrics = new Map(
  metricSections.flatMap(({ metrics }) => metrics.map((metric) => [metric.name, metric] as const)),
);

/** Metrics that an expression reads, each with its label matchers. */
const readsOf = (expression: string): readonly { readonly name: string; readonly matchers: string }[] =>
  [...expression.matchAll(/\b(milo_quota_[a-z_]+)(?:\{([^}]*)\})?/g)].map(([, name = "", matchers = ""]) => ({
    name,
    matchers,
  }));

const labelsOf = (matchers: string): readonly string[] =>
  [...matchers.matchAll(/([a-z_]+)(?:=~|!=|=)/g)].map(([, label = ""]) => label);

/** Labels that an expression groups by. */
const groupsOf = (expression: string): readonly string[] =>
  [...expression.matchAll(/\b(?:by|on|group_left) \(([^)]*)\)/g)].flatMap(([, labels = ""]) => labels.split(", "));

describe("alerts", () => {
  it.each(metricAlerts)("$title: reads metrics and labels that exist", ({ expression }) => {
    const reads = readsOf(expression);
    expect(reads.length).toBeGreaterThan(0);
    for (const { name, matchers } of reads) {
      expect(metrics.has(name), name).toBe(true);
      expect(metrics.get(name)?.labels ?? []).toEqual(expect.arrayContaining([...labelsOf(matchers)]));
    }
    const labels = reads.flatMap(({ name }) => metrics.get(name)?.labels ?? []);
    expect(labels).toEqual(expect.arrayContaining([...groupsOf(expression)]));
  });

  it("names results that admission has", () => {
    const help = metrics.get("milo_quota_admission_result_total")?.help ?? "";
    for (const result of ["misconfigured", "undecided"]) expect(help).toContain(result);
  });
});
