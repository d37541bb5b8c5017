import { childPath, type FieldIssue, itemPath, notSupported, required } from "../../../../protocol/field-issue.ts";
import { dnsLabel, dnsSubdomain, qualifiedName } from "../../../../protocol/names.ts";
import { nameFaults, same, unless } from "../field-checks.ts";
import { endpointIpIssues, ipIssues } from "../ip-address.ts";
import { portNumberIssues, protocols } from "../ports.ts";

interface EndpointAddress {
  readonly ip: string;
  readonly hostname?: string;
  readonly nodeName?: string;
}

interface EndpointPort {
  readonly name?: string;
  readonly port: number;
  readonly protocol?: string;
  readonly appProtocol?: string;
}

interface EndpointSubset {
  readonly addresses?: readonly EndpointAddress[];
  readonly notReadyAddresses?: readonly EndpointAddress[];
  readonly ports?: readonly EndpointPort[];
}

export interface Endpoints {
  readonly subsets?: readonly EndpointSubset[];
}

/** What was let in before is let through when it stays as it is. */
export function endpointsIssues({ subsets = [] }: Endpoints, old: Endpoints | undefined): readonly FieldIssue[] {
  if (old !== undefined && same(subsets, old.subsets ?? [])) return [];
  return subsets.flatMap((subset, index) => subsetIssues(subset, itemPath("subsets", index)));
}

function subsetIssues(subset: EndpointSubset, path: string): readonly FieldIssue[] {
  const { addresses = [], notReadyAddresses = [], ports = [] } = subset;
  const list = (name: string, all: readonly EndpointAddress[]): readonly FieldIssue[] =>
    all.flatMap((address, index) => addressIssues(address, itemPath(childPath(path, name), index)));
  return [
    ...unless(addresses.length + notReadyAddresses.length > 0, () =>
      required(path, "must specify `addresses` or `notReadyAddresses`"),
    ),
    ...list("addresses", addresses),
    ...list("notReadyAddresses", notReadyAddresses),
    ...ports.flatMap((port, index) => portIssues(port, ports.length > 1, itemPath(childPath(path, "ports"), index))),
  ];
}

function addressIssues({ ip, hostname, nodeName }: EndpointAddress, path: string): readonly FieldIssue[] {
  return [
    ...ipIssues(childPath(path, "ip"), ip),
    ...(hostname === undefined ? [] : nameFaults(childPath(path, "hostname"), hostname, dnsLabel)),
    ...(nodeName === undefined ? [] : nameFaults(childPath(path, "nodeName"), nodeName, dnsSubdomain)),
    ...endpointIpIssues(childPath(path, "ip"), ip),
  ];
}

function portIssues(port: EndpointPort, needsName: boolean, path: string): readonly FieldIssue[] {
  const { name = "", protocol = "", appProtocol } = port;
  const namePath = childPath(path, "name");
  const missing = needsName ? [required(namePath)] : [];
  return [
    ...(name === "" ? missing : nameFaults(namePath, name, dnsLabel)),
    ...portNumberIssues(childPath(path, "port"), port.port),
    ...unless(protocols.includes(protocol), () => notSupported(childPath(path, "protocol"), protocol, protocols)),
    ...(appProtocol === undefined ? [] : nameFaults(childPath(path, "appProtocol"), appProtocol, qualifiedName)),
  ];
}
