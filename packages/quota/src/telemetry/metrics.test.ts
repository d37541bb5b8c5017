import { describe, expect, it } from "vitest";
import { readExposition } from "../../test/exposition.ts";
import { Metrics } from "./metrics.ts";
import { measureProcess, processMetrics } from "./process-metrics.ts";
import { headerLines, labelText, sampleLine } from "./text-format.ts";

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

  it("are shown once something was counted: with labels when it was, without them from the beginning", async () => {
    const metrics = new Metrics(unheard);
    const held = metrics.counter({ name: "held_total", type: "counter", help: "Held.", labels: ["of", "by"] });
    metrics.gauge({ name: "level", type: "gauge", help: "Level." });
    metrics.histogram({ name: "sizes", type: "histogram", help: "Sizes.", buckets: [1] });
    const series = held.labels({ of: "a", by: "b" });
    const before = await seen(metrics);
    expect([...before.values()].map(({ samples }) => samples.map(({ value }) => value))).toEqual([
      [],
      [0],
      [0, 0, 0, 0],
    ]);
    series.inc();
    held.inc({ of: "a", by: "b" }, 2);
    held.inc({ of: "a 1 b", by: "" });
    held.inc({ of: "a", by: " 1 b" });
    expect((await seen(metrics)).get("held_total")?.samples.map(({ value }) => value)).toEqual([3, 1, 1]);
  });

  it("refuse what would spoil them", async () => {
    const metrics = new Metrics(unheard);
    const declaration = { name: "seen_total", type: "counter", help: "Seen." } as const;
    const counter = metrics.counter(declaration);
    expect(() => counter.inc(-1)).toThrow("a counter goes up, not by -1");
    expect(() => counter.inc(Number.NaN)).toThrow("not by NaN");
    const sizes = metrics.histogram({ name: "sizes", type: "histogram", help: "Sizes.", buckets: [1] });
    expect(() => sizes.observe(Number.NaN)).toThrow("NaN cannot be observed");
    expect(() => metrics.counter(declaration)).toThrow("there is a metric seen_total already");
  });

  it("that several count under the same labels add up, and gauges do not", async () => {
    const metrics = new Metrics(unheard);
    const twice = (set: (labels: { of: string }, value: number) => void): void => {
      set({ of: "claims" }, 2);
      set({ of: "claims" }, Number.POSITIVE_INFINITY);
      set({ of: "grants" }, 2);
      set({ of: "grants" }, 3);
    };
    metrics.readEach({ name: "counted_total", type: "counter", help: "Counted.", labels: ["of"] }, twice);
    metrics.readEach({ name: "gauged", type: "gauge", help: "Gauged.", labels: ["of"] }, twice);
    await seen(metrics);
    const families = await seen(metrics);
    const values = (name: string) => families.get(name)?.samples.map(({ value }) => value);
    expect([values("counted_total"), values("gauged")]).toEqual([
      [Number.POSITIVE_INFINITY, 5],
      [Number.POSITIVE_INFINITY, 3],
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
