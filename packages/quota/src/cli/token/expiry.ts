import { parseTime } from "@milo-quota/kubernetes/protocol/time.ts";
import { InvalidArgumentError } from "commander";

/** A duration from now, or a point in time. */
export type Expiry = { readonly inMs: number } | { readonly atMs: number };

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90m`, `24h`, `30d`, or `2026-12-31T12:00:00Z`. */
export function parseExpiry(text: string): Expiry {
  const [, count, unit] = /^([1-9][0-9]{0,5})([smhd])$/.exec(text) ?? [];
  if (count !== undefined) return { inMs: Number(count) * (unitMs[unit ?? ""] ?? 0) };
  const atMs = parseTime(text);
  if (atMs !== undefined) return { atMs };
  throw new InvalidArgumentError("must be a duration such as 90m, 24h or 30d, or a time such as 2026-12-31T12:00:00Z");
}

export function expiryMs(expiry: Expiry, nowMs: number): number {
  return "inMs" in expiry ? nowMs + expiry.inMs : expiry.atMs;
}
