import { parseTime } from "@milo-quota/kubernetes/protocol/time.ts";
import { InvalidArgumentError } from "commander";

/** When something ends: so long from now, or at a time. */
export type End = { readonly inMs: number } | { readonly atMs: number };

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90m`, `24h`, `30d`, or `2026-12-31T12:00:00Z`. */
export function readEnd(text: string): End {
  const [, count, unit] = /^([1-9][0-9]{0,5})([smhd])$/.exec(text) ?? [];
  if (count !== undefined) return { inMs: Number(count) * (unitMs[unit ?? ""] ?? 0) };
  const atMs = parseTime(text);
  if (atMs === undefined) throw new InvalidArgumentError("write 90m, 24h, 30d, or a time such as 2026-12-31T12:00:00Z");
  return { atMs };
}

export function endMs(end: End, nowMs: number): number {
  return "inMs" in end ? nowMs + end.inMs : end.atMs;
}
