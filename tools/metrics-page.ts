import type { MetricDeclaration, MetricSection } from "@milo-quota/quota/telemetry/metric-declaration.ts";

/** The reference page of all metrics. */
export function metricsPage(sections: readonly MetricSection[]): string {
  return [
    "<!-- Generated from packages/quota/src/embedded/metrics/all-metrics.ts by `npm run generate`. Do not edit. -->\n",
    "# Metrics",
    "",
    "`milo-quota up` serves these in the text format of Prometheus:",
    "",
    "- at `/metrics` of the API server, to whoever may `get` the URL `/metrics` there (a `nonResourceURLs` rule of a",
    "  ClusterRole; the group `system:monitoring` has it);",
    "- with `--metrics-port`, on that port of 127.0.0.1, over plain HTTP and without a token. `/healthz`, `/livez` and",
    "  `/readyz` are there too.",
    "",
    "Both show all tenants. Nobody sees them through the path of a control plane.",
    "",
    ...sections.flatMap(sectionLines),
  ].join("\n");
}

function sectionLines({ title, about, metrics }: MetricSection): readonly string[] {
  return [
    `## ${title}`,
    "",
    about,
    "",
    "| metric | type | labels | what it says |",
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
