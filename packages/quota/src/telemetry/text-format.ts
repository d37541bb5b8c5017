// The Prometheus text format.
import type { MetricDeclaration } from "./metric-declaration.ts";

export const textFormat = "text/plain; version=0.0.4; charset=utf-8";

export function headerLines({ name, help, type }: Pick<MetricDeclaration, "name" | "help" | "type">): string {
  return `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n`;
}

/** Empty values are omitted: to Prometheus, an empty label is the same as none. */
export function labelText(labels: Readonly<Record<string, string>>): string {
  const parts = Object.entries(labels)
    .filter(([, value]) => value !== "")
    .map(([label, value]) => labelPair(label, value));
  return parts.join(",");
}

export function labelPair(label: string, value: string): string {
  return `${label}="${escaped(value).replaceAll('"', '\\"')}"`;
}

/** Integers beyond 2^53 are written exactly. */
export function sampleLine(name: string, labels: string, value: number | bigint): string {
  return labels === "" ? `${name} ${numberText(value)}\n` : `${name}{${labels}} ${numberText(value)}\n`;
}

export function numberText(value: number | bigint): string {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  return value === Number.NEGATIVE_INFINITY ? "-Inf" : String(value);
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}
