import {
  childPath,
  duplicate,
  type FieldIssue,
  invalid,
  itemPath,
  notSupported,
  required,
  tooMany,
} from "../../../../protocol/field-issue.ts";
import { dnsLabel, dnsSubdomain, labelValue, type NameRule, qualifiedName } from "../../../../protocol/names.ts";
import { immutable, nameFaults, same, unless } from "../field-checks.ts";
import { endpointIpIssues, ipFamily, ipIssues } from "../ip-address.ts";
import { protocols } from "../ports.ts";

interface Named {
  readonly name: string;
}

interface Endpoint {
  readonly addresses: readonly string[] | null;
  readonly hostname?: string;
  readonly nodeName?: string;
  readonly hints?: { readonly forZones?: readonly Named[]; readonly forNodes?: readonly Named[] };
}

interface SlicePort {
  readonly name?: string;
  readonly protocol?: string;
  readonly port?: number;
  readonly appProtocol?: string;
}

export interface EndpointSlice {
  readonly addressType: string;
  readonly endpoints: readonly Endpoint[] | null;
  readonly ports: readonly SlicePort[] | null;
}

const addressTypes = ["FQDN", "IPv4", "IPv6"];
const endpointsMax = 1_000;
const addressesMax = 100;
const portsMax = 20_000;
const hintsMax = 8;

export function endpointSliceIssues(slice: EndpointSlice, old: EndpointSlice | undefined): readonly FieldIssue[] {
  const isUnchanged = old !== undefined && same(slice.endpoints, old.endpoints);
  return [
    ...typeIssues(slice.addressType),
    ...portsIssues(slice.ports ?? []),
    ...(isUnchanged ? [] : endpointsIssues(slice.endpoints ?? [], slice.addressType)),
    ...(old === undefined ? [] : immutable("addressType", slice.addressType, old.addressType)),
  ];
}

function typeIssues(addressType: string): readonly FieldIssue[] {
  if (addressType === "") return [required("addressType")];
  return unless(addressTypes.includes(addressType), () => notSupported("addressType", addressType, addressTypes));
}

function portsIssues(ports: readonly SlicePort[]): readonly FieldIssue[] {
  if (ports.length > portsMax) return [tooMany("ports", ports.length, portsMax)];
  const seen = new Set<string>();
  return ports.flatMap((port, index) => {
    const path = itemPath("ports", index);
    const { name = "", protocol = "", appProtocol } = port;
    const isRepeated = seen.has(name);
    seen.add(name);
    return [
      ...(name === "" ? [] : nameFaults(childPath(path, "name"), name, dnsLabel)),
      ...(isRepeated ? [duplicate(childPath(path, "name"), name)] : []),
      ...unless(protocols.includes(protocol), () => notSupported(childPath(path, "protocol"), protocol, protocols)),
      ...(appProtocol === undefined ? [] : nameFaults(childPath(path, "appProtocol"), appProtocol, qualifiedName)),
    ];
  });
}

function endpointsIssues(endpoints: readonly Endpoint[], addressType: string): readonly FieldIssue[] {
  if (endpoints.length > endpointsMax) return [tooMany("endpoints", endpoints.length, endpointsMax)];
  return endpoints.flatMap((endpoint, index) => {
    const path = itemPath("endpoints", index);
    const { nodeName, hostname, hints = {} } = endpoint;
    const hintsPath = childPath(path, "hints");
    return [
      ...addressesIssues(endpoint.addresses ?? [], addressType, childPath(path, "addresses")),
      ...(nodeName === undefined ? [] : nameFaults(childPath(path, "nodeName"), nodeName, dnsSubdomain)),
      ...(hostname === undefined ? [] : nameFaults(childPath(path, "hostname"), hostname, dnsLabel)),
      ...hintIssues(hints.forZones ?? [], childPath(hintsPath, "forZones"), labelValue),
      ...hintIssues(hints.forNodes ?? [], childPath(hintsPath, "forNodes"), dnsSubdomain),
    ];
  });
}

function addressesIssues(addresses: readonly string[], addressType: string, path: string): readonly FieldIssue[] {
  return [
    ...unless(addresses.length > 0, () => required(path, "must contain at least 1 address")),
    ...unless(addresses.length <= addressesMax, () => tooMany(path, addresses.length, addressesMax)),
    ...addresses.flatMap((address, index) => {
      const at = itemPath(path, index);
      return addressType === "FQDN" ? domainIssues(at, address) : ipAddressIssues(at, path, address, addressType);
    }),
  ];
}

function ipAddressIssues(at: string, path: string, address: string, addressType: string): readonly FieldIssue[] {
  if (addressType !== "IPv4" && addressType !== "IPv6") return [];
  const faults = ipIssues(at, address);
  if (faults.length > 0) return faults;
  return [
    ...unless(ipFamily(address) === addressType, () => invalid(path, address, `must be an ${addressType} address`)),
    ...endpointIpIssues(at, address),
  ];
}

function domainIssues(at: string, name: string): readonly FieldIssue[] {
  if (name === "") return [required(at)];
  const faults = nameFaults(at, name.replace(/\.$/, ""), dnsSubdomain);
  if (faults.length > 0) return faults;
  return unless(name.split(".").length >= 2, () =>
    invalid(at, name, "should be a domain with at least two segments separated by dots"),
  );
}

function hintIssues(hints: readonly Named[], path: string, rule: NameRule): readonly FieldIssue[] {
  if (hints.length > hintsMax) return [tooMany(path, hints.length, hintsMax)];
  const seen = new Set<string>();
  return hints.flatMap(({ name }, index) => {
    const at = childPath(itemPath(path, index), "name");
    const isRepeated = seen.has(name);
    seen.add(name);
    return [...(isRepeated ? [duplicate(at, name)] : []), ...nameFaults(at, name, rule)];
  });
}
