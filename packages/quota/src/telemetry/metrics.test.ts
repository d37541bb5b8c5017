import { describe, expect, it } from "vitest";
import { readExposition } from "../../test/exposition.ts";
import { Metrics } from "./metrics.ts";
import { measureProcess, processMetrics } from "./process-metrics.ts";
import { headerLines, labelText, sampleLine } from "./text-format.ts";

const { signal } = new AbortController();
const unexpected = (where: string, error: unknown): void => {
  throw new Error(`${where}: ${error}`);
};

const scrape = async (metrics: Metrics) => readExposition(await metrics.text(signal));

describe("metrics", () => {
  it("are independent of another system in the same process", async () => {
    const [one, other] = [new Metrics(unexpected), new Metrics(unexpected)];
    const declaration = { name: "seen_total", type: "counter", help: "Seen." } as const;
    one.counter(declaration).inc(3);
    other.counter(declaration).inc(1);
    expect((await scrape(one)).get("seen_total")?.samples).toEqual([{ name: "seen_total", labels: {}, value: 3 }]);
  });

  it("have the declared buckets", async () => {
    const metrics = new Metrics(unexpected);
    const took = metrics.histogram({
      name: "took_seconds",
      type: "histogram",
      help: "Took.",
      labels: ["result"],
      buckets: [0.1, 1],
    });
    took.observe({ result: "granted" }, 0.5);
    const samples = (await scrape(metrics)).get("took_seconds")?.samples ?? [];
    expect(samples.map(({ labels, value }) => [labels["le"], value])).toEqual([
      ["0.1", 0],
      ["1", 1],
      ["+Inf", 1],
      [undefined, 0.5],
      [undefined, 1],
    ]);
  });

  it("are exposed from the start without labels, and from the first value on with labels", async () => {
    const metrics = new Metrics(unexpected);
    const held = metrics.counter({ name: "held_total", type: "counter", help: "Held.", labels: ["of", "by"] });
    metrics.gauge({ name: "level", type: "gauge", help: "Level." });
    metrics.histogram({ name: "sizes", type: "histogram", help: "Sizes.", buckets: [1] });
    const series = held.labels({ of: "a", by: "b" });
    const before = await scrape(metrics);
    expect([...before.values()].map(({ samples }) => samples.map(({ value }) => value))).toEqual([
      [],
      [0],
      [0, 0, 0, 0],
    ]);
    series.inc();
    held.inc({ of: "a", by: "b" }, 2);
    held.inc({ of: "a 1 b", by: "" });
    held.inc({ of: "a", by: " 1 b" });
    expect((await scrape(metrics)).get("held_total")?.samples.map(({ value }) => value)).toEqual([3, 1, 1]);
  });

  it("reject invalid values and duplicate declarations", async () => {
    const metrics = new Metrics(unexpected);
    const declaration = { name: "seen_total", type: "counter", help: "Seen." } as const;
    const counter = metrics.counter(declaration);
    expect(() => counter.inc(-1)).toThrow("a counter cannot be incremented by -1");
    expect(() => counter.inc(Number.NaN)).toThrow("incremented by NaN");
    const sizes = metrics.histogram({ name: "sizes", type: "histogram", help: "Sizes.", buckets: [1] });
    expect(() => sizes.observe(Number.NaN)).toThrow("NaN cannot be observed");
    expect(() => metrics.counter(declaration)).toThrow("metric seen_total is already declared");
  });

  it("that are read add up counters with the same labels, but not gauges", async () => {
    const metrics = new Metrics(unexpected);
    const twice = (set: (labels: { of: string }, value: number) => void): void => {
      set({ of: "claims" }, 2);
      set({ of: "claims" }, Number.POSITIVE_INFINITY);
      set({ of: "grants" }, 2);
      set({ of: "grants" }, 3);
    };
    metrics.readEach({ name: "counted_total", type: "counter", help: "Counted.", labels: ["of"] }, twice);
    metrics.readEach({ name: "gauged", type: "gauge", help: "Gauged.", labels: ["of"] }, twice);
    await scrape(metrics);
    const families = await scrape(metrics);
    const values = (name: string) => families.get(name)?.samples.map(({ value }) => value);
    expect([values("counted_total"), values("gauged")]).toEqual([
      [Number.POSITIVE_INFINITY, 5],
      [Number.POSITIVE_INFINITY, 3],
    ]);
  });

  it("that are read drop label sets that are not set again", async () => {
    const metrics = new Metrics(unexpected);
    const now = new Map([["claims", 1]]);
    metrics.readEach({ name: "sizes", type: "gauge", help: "Sizes.", labels: ["of"] }, (set) => {
      for (const [of, size] of now) set({ of }, size);
    });
    let ready: number | undefined = 1;
    metrics.read({ name: "ready", type: "gauge", help: "Ready." }, () => ready);
    expect((await scrape(metrics)).get("sizes")?.samples).toHaveLength(1);
    now.clear();
    ready = undefined;
    const after = await scrape(metrics);
    expect([after.get("sizes")?.samples, after.get("ready")?.samples]).toEqual([[], []]);
  });

  it("that cannot be read are reported, and do not hide others", async () => {
    const reported: string[] = [];
    const metrics = new Metrics((where) => reported.push(where));
    const broken = (): never => {
      throw new Error("broken");
    };
    metrics.read({ name: "broken", type: "gauge", help: "Broken." }, broken);
    metrics.add({ text: async () => broken() });
    metrics.counter({ name: "fine_total", type: "counter", help: "Fine." }).inc(2);
    expect((await scrape(metrics)).get("fine_total")?.samples[0]?.value).toBe(2);
    expect(reported).toEqual(["metric broken", "metrics"]);
  });

  it("of sources are appended", async () => {
    const metrics = new Metrics(unexpected);
    const declaration = { name: "there", type: "gauge", help: "There." } as const;
    const labels = labelText({ name: 'a "quoted" \\ name\nof two lines', empty: "" });
    metrics.add({
      text: async () => headerLines(declaration) + sampleLine("there", labels, 9007199254740993n),
    });
    metrics.counter({ name: "fine_total", type: "counter", help: "Fine." });
    const families = await scrape(metrics);
    expect([...families.keys()]).toEqual(["fine_total", "there"]);
    expect(families.get("there")?.samples[0]?.labels).toEqual({ name: 'a "quoted" \\ name\nof two lines' });
    expect(await metrics.text(signal)).toContain("9007199254740993");
  });

  it("include the resource usage of the process", async () => {
    const metrics = new Metrics(unexpected);
    const stop = measureProcess(metrics, 1_700_000_000_500);
    const families = await scrape(metrics);
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
