import { type FieldIssue, invalid } from "../../../protocol/field-issue.ts";
import { formatCheck } from "../../../schema/formats.ts";

const isIpv6 = formatCheck("ipv6") as (text: string) => boolean;

export type IpFamily = "IPv4" | "IPv6";

/** The family of an address. Leading zeros are let through, as old fields of Kubernetes do. */
export function ipFamily(text: string): IpFamily | undefined {
  const parts = text.split(".");
  const isIpv4 = parts.length === 4 && parts.every((part) => /^\d{1,10}$/.test(part) && Number(part) <= 255);
  if (isIpv4) return "IPv4";
  return text.includes(":") && isIpv6(text) ? "IPv6" : undefined;
}

export function ipIssues(path: string, text: string): readonly FieldIssue[] {
  if (ipFamily(text) !== undefined) return [];
  return [invalid(path, text, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")];
}

/** Addresses that nothing can be reached at from elsewhere. */
export function endpointIpIssues(path: string, text: string): readonly FieldIssue[] {
  if (ipFamily(text) === undefined) return [invalid(path, text, "must be a valid IP address")];
  const fault = specialFault(text.toLowerCase());
  return fault === undefined ? [] : [invalid(path, text, fault)];
}

function specialFault(text: string): string | undefined {
  if (/^0+(\.0+){3}$/.test(text) || /^[0:]+$/.test(text)) return `may not be unspecified (${text})`;
  if (/^0*127\./.test(text) || /^[0:]+:0*1$/.test(text)) {
    return "may not be in the loopback range (127.0.0.0/8, ::1/128)";
  }
  if (/^169\.254\./.test(text) || /^fe[89ab][0-9a-f]:/.test(text)) {
    return "may not be in the link-local range (169.254.0.0/16, fe80::/10)";
  }
  if (/^224\.0\.0\./.test(text) || /^ff[0-9a-f]2:/.test(text)) {
    return "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)";
  }
  return undefined;
}
