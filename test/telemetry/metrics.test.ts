import { describe, expect, it } from "vitest";
import { Metrics } from "../../src/telemetry/metrics.ts";
import { measureProcess, processMetrics } from "../../src/telemetry/process-metrics.ts";
import { headerLines, labelText, sampleLine } from "../../src/telemetry/text-format.ts";
import { readExposition } from "./exposition.ts";

const { signal } = new AbortController();
const unheard = (where: string, error: unknown): void => {
  throw new Error(`${where}: ${error}`);
};

const seen = async (metrics: Metrics) => readExposition(await metrics.text(signal));

describe("metrics", () => {
  it("are those of one system, whatever another one in the same process counts", async () => {
    const [one, other] = [new Metrics(unheard), new Metrics(unheard)];
    const declaration = { name: "seen_total", type: "counter", help: "Seen." } as const;
    one.counter(declaration).inc(3);
    other.counter(declaration).inc(1);
    expect((await seen(one)).get("seen_total")?.samples).toEqual([{ name: "seen_total", labels: {}, value: 3 }]);
  });

  it("have buckets where they were declared to be", async () => {
    const metrics = new Metrics(unheard);
    const took = metrics.histogram({
      name: "took_seconds",
      type: "histogram",
      help: "Took.",
      labels: ["result"],
      buckets: [0.1, 1],
    });
    took.observe({ result: "granted" }, 0.5);
    const samples = (await seen(metrics)).get("took_seconds")?.samples ?? [];
    expect(samples.map(({ labels, value }) => [labels["le"], value])).toEqual([
      ["0.1", 0],
      ["1", 1],
      ["+Inf", 1],
      [undefined, 0.5],
      [undefined, 1],
    ]);
  });

  it("read when they are looked at forget what is not told again", async () => {
    const metrics = new Metrics(unheard);
    const now = new Map([["claims", 1]]);
    metrics.readEach({ name: "sizes", type: "gauge", help: "Sizes.", labels: ["of"] }, (set) => {
      for (const [of, size] of now) set({ of }, size);
    });
    let ready: number | undefined = 1;
    metrics.read({ name: "ready", type: "gauge", help: "Ready." }, () => ready);
    expect((await seen(metrics)).get("sizes")?.samples).toHaveLength(1);
    now.clear();
    ready = undefined;
    const after = await seen(metrics);
    expect([after.get("sizes")?.samples, after.get("ready")?.samples]).toEqual([[], []]);
  });

  it("that cannot be read are reported, and hide no others", async () => {
    const heard: string[] = [];
    const metrics = new Metrics((where) => heard.push(where));
    const broken = (): never => {
      throw new Error("broken");
    };
    metrics.read({ name: "broken", type: "gauge", help: "Broken." }, broken);
    metrics.add({ text: async () => broken() });
    metrics.counter({ name: "fine_total", type: "counter", help: "Fine." }).inc(2);
    expect((await seen(metrics)).get("fine_total")?.samples[0]?.value).toBe(2);
    expect(heard).toEqual(["metric broken", "metrics"]);
  });

  it("of sources stand beside the others", async () => {
    const metrics = new Metrics(unheard);
    const declaration = { name: "there", type: "gauge", help: "There." } as const;
    const labels = labelText({ name: 'a "quoted" \\ name\nof two lines', empty: "" });
    metrics.add({
      text: async () => headerLines(declaration) + sampleLine("there", labels, 9007199254740993n),
    });
    metrics.counter({ name: "fine_total", type: "counter", help: "Fine." });
    const families = await seen(metrics);
    expect([...families.keys()]).toEqual(["fine_total", "there"]);
    expect(families.get("there")?.samples[0]?.labels).toEqual({ name: 'a "quoted" \\ name\nof two lines' });
    expect(await metrics.text(signal)).toContain("9007199254740993");
  });

  it("tell what the process takes", async () => {
    const metrics = new Metrics(unheard);
    const stop = measureProcess(metrics, 1_700_000_000_500);
    const families = await seen(metrics);
    stop();
    expect([...families.keys()].sort()).toEqual(
      Object.values(processMetrics)
        .map(({ name }) => name as string)
        .sort(),
    );
    const figure = (name: string): number => families.get(name)?.samples[0]?.value ?? Number.NaN;
    expect(figure("process_start_time_seconds")).toBe(1_700_000_000.5);
    expect(figure("process_resident_memory_bytes")).toBeGreaterThan(1e6);
    expect(figure("process_cpu_seconds_total")).toBeGreaterThan(0);
    expect(figure("nodejs_eventloop_lag_max_seconds")).toBeGreaterThanOrEqual(0);
  });
});
