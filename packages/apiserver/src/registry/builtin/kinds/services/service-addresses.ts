import { createHash } from "node:crypto";
import { ensureNestedObject, isUnset, itemsOf, nestedObject } from "../../typed/draft.ts";
import type { DraftObject } from "../../typed/go-round-trip.ts";
import { isExternallyAccessible, type Service } from "./service-object.ts";

// Nothing routes to these addresses and ports: clients expect a Service to have them. They are derived from the name,
// so that no allocations need to be stored; two services may get the same one.
const nodePortFirst = 30_000;
const nodePortCount = 2_768;

/** Assigns cluster IPs and node ports to a new Service. */
export function allocate(draft: DraftObject): void {
  const spec = ensureNestedObject(draft, "spec");
  if (spec["type"] === "ExternalName") return;
  if (isUnset(spec["clusterIP"])) spec["clusterIP"] = addressOf(draft);
  if (isUnset(spec["clusterIPs"])) spec["clusterIPs"] = [spec["clusterIP"] as string];
  fillFamilies(spec);
  if (usesNodePorts(spec)) allocateNodePorts(draft, spec);
}

/** A headless Service without selector may be dual-stack. */
function fillFamilies(spec: DraftObject): void {
  const isOfBoth = spec["clusterIP"] === "None" && nestedObject(spec, "selector") === undefined;
  const own = String(spec["clusterIP"]).includes(":") ? "IPv6" : "IPv4";
  if (isOfBoth && isUnset(spec["ipFamilyPolicy"])) spec["ipFamilies"] ??= ["IPv4", "IPv6"];
  spec["ipFamilies"] ??= [own];
  spec["ipFamilyPolicy"] ??= isOfBoth ? "RequireDualStack" : "SingleStack";
}

/** An update without addresses and ports keeps them; those that the new type does not use are removed. */
export function keepAllocated(draft: DraftObject, { spec: old }: Service): void {
  const spec = ensureNestedObject(draft, "spec");
  if (spec["type"] === "ExternalName") for (const field of addressFields) delete spec[field];
  else if (isUnset(spec["clusterIP"]) && old.clusterIP !== undefined) spec["clusterIP"] = old.clusterIP;
  if (spec["type"] !== "LoadBalancer") delete spec["allocateLoadBalancerNodePorts"];
  if (!isExternallyAccessible(spec as unknown as Service["spec"])) delete spec["externalTrafficPolicy"];
  keepNodePorts(spec, old);
  allocate(draft);
}

const addressFields = ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"];

function keepNodePorts(spec: DraftObject, old: Service["spec"]): void {
  const before = new Map((old.ports ?? []).map(({ name = "", nodePort }) => [name, nodePort]));
  for (const port of itemsOf(spec, "ports")) {
    const kept = before.get(String(port["name"] ?? ""));
    if (!usesNodePorts(spec)) delete port["nodePort"];
    else if (kept) port["nodePort"] ??= kept;
  }
}

function allocateNodePorts(draft: DraftObject, spec: DraftObject): void {
  const ports = itemsOf(spec, "ports");
  const taken = new Set(ports.map((port) => port["nodePort"]));
  let next = hashOf(draft) % nodePortCount;
  for (const port of ports) {
    if (port["nodePort"] !== undefined) continue;
    while (taken.has(nodePortFirst + next)) next = (next + 1) % nodePortCount;
    port["nodePort"] = nodePortFirst + next;
    taken.add(port["nodePort"]);
  }
}

function usesNodePorts({ type, allocateLoadBalancerNodePorts: isWanted }: DraftObject): boolean {
  return type === "NodePort" || (type === "LoadBalancer" && isWanted !== false);
}

/** Somewhere in 10.96.0.0/12. */
function addressOf(draft: DraftObject): string {
  const hash = hashOf(draft);
  return `10.${96 + ((hash >>> 16) & 15)}.${(hash >>> 8) & 255}.${1 + (hash % 254)}`;
}

function hashOf(draft: DraftObject): number {
  const { namespace = "", name = "" } = ensureNestedObject(draft, "metadata");
  return createHash("sha256").update(`${namespace}/${name}`).digest().readUInt32BE(0);
}
