import type { MetricDeclaration, MetricSection } from "@milo-quota/quota/telemetry/metric-declaration.ts";
import { type MetricAlert, metricAlerts } from "./metric-alerts.ts";

/** The reference page of all metrics. */
export function metricsPage(sections: readonly MetricSection[]): string {
  return [
    "<!-- Generated from packages/quota/src/embedded/metrics/all-metrics.ts by `npm run generate`. Do not edit. -->\n",
    "# Metrics",
    "",
    "`milo-quota up` serves metrics in the text format of Prometheus. Begin with [five alerts](#alerts); [Scraping](#scraping)",
    "says where the metrics are served; the tables after it list all of them.",
    "",
    "## Alerts",
    "",
    ...metricAlerts.flatMap(alertLines),
    "## Scraping",
    "",
    "- `/metrics` of the API server. The user needs the right to `get` the URL `/metrics` (a `nonResourceURLs` rule of a",
    "  ClusterRole; the group `system:monitoring` has it).",
    "- With `--metrics-port`, that port of 127.0.0.1, over plain HTTP and without a token. `/healthz`, `/livez` and `/readyz` are",
    "  served there, too.",
    "",
    "Both show all tenants. The paths of control planes do not serve metrics, so tenants cannot read them.",
    "",
    ...sections.flatMap(sectionLines),
  ].join("\n");
}

function alertLines({ title, expression, meaning, action }: MetricAlert): readonly string[] {
  return [`### ${title}`, "", "```promql", expression, "```", "", meaning, "", action, ""];
}

function sectionLines({ title, about, metrics }: MetricSection): readonly string[] {
  return [
    `## ${title}`,
    "",
    about,
    "",
    "| metric | type | labels | description |",
    "|---|---|---|---|",
    ...metrics.map(row),
    "",
  ];
}

function row({ name, type, labels = [], help, buckets }: MetricDeclaration): string {
  const shown = labels.map((label) => `\`${label}\``).join(", ");
  const bounds = buckets === undefined ? "" : ` Buckets: ${buckets.join(", ")}.`;
  return `| \`${name}\` | ${type} | ${shown} | ${help.replaceAll("|", "\\|")}${bounds} |`;
}
