import {
  childPath,
  type FieldIssue,
  invalid,
  itemPath,
  notSupported,
  required,
} from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { dnsLabel } from "@milo-quota/kubernetes/protocol/names.ts";
import { immutable, isEqual, issueUnless, nameRuleIssues } from "../../field-checks.ts";
import { ipFamily } from "../../ip-family.ts";
import { protocols } from "../../ports.ts";

interface SlicePort {
  readonly name?: string;
  readonly protocol?: string;
  readonly port?: number;
}

export interface EndpointSlice {
  readonly addressType: string;
  readonly endpoints: readonly { readonly addresses: readonly string[] | null }[] | null;
  readonly ports: readonly SlicePort[] | null;
}

const addressTypes = ["FQDN", "IPv4", "IPv6"];

export function endpointSliceIssues(slice: EndpointSlice, old: EndpointSlice | undefined): readonly FieldIssue[] {
  const { addressType, ports } = slice;
  const changed = old !== undefined && isEqual(slice.endpoints, old.endpoints) ? [] : (slice.endpoints ?? []);
  return [
    ...typeIssues(addressType),
    ...(ports ?? []).flatMap((port, index) => portIssues(port, itemPath("ports", index))),
    ...changed.flatMap(({ addresses }, index) =>
      addressesIssues(addresses ?? [], addressType, childPath(itemPath("endpoints", index), "addresses")),
    ),
    ...(old === undefined ? [] : immutable("addressType", addressType, old.addressType)),
  ];
}

function typeIssues(addressType: string): readonly FieldIssue[] {
  if (addressType === "") return [required("addressType")];
  return issueUnless(addressTypes.includes(addressType), () => notSupported("addressType", addressType, addressTypes));
}

function portIssues({ name = "", protocol = "" }: SlicePort, path: string): readonly FieldIssue[] {
  return [
    ...(name === "" ? [] : nameRuleIssues(childPath(path, "name"), name, dnsLabel)),
    ...issueUnless(protocols.includes(protocol), () => notSupported(childPath(path, "protocol"), protocol, protocols)),
  ];
}

function addressesIssues(addresses: readonly string[], addressType: string, path: string): readonly FieldIssue[] {
  if (addresses.length === 0) return [required(path, "must contain at least 1 address")];
  if (addressType !== "IPv4" && addressType !== "IPv6") return [];
  return addresses.flatMap((address, index) => {
    const family = ipFamily(address);
    if (family === addressType) return [];
    if (family !== undefined) return [invalid(path, address, `must be an ${addressType} address`)];
    const fault = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
    return [invalid(itemPath(path, index), address, fault)];
  });
}
