import { formatCheck } from "@milo-quota/kubernetes/schema/formats.ts";

const isIpv6 = formatCheck("ipv6") as (text: string) => boolean;

/** Accepts leading zeros, as the older fields of Kubernetes do. */
export function ipFamily(text: string): "IPv4" | "IPv6" | undefined {
  const parts = text.split(".");
  const isIpv4 = parts.length === 4 && parts.every((part) => /^\d{1,10}$/.test(part) && Number(part) <= 255);
  if (isIpv4) return "IPv4";
  return text.includes(":") && isIpv6(text) ? "IPv6" : undefined;
}
