import { createHash } from "node:crypto";
import { inner, innerMade, isUnset, itemsOf } from "../typed/draft.ts";
import type { DraftObject } from "../typed/json-shape.ts";
import { isExternallyAccessible, type Service } from "./service-object.ts";

// Nothing routes to these addresses and ports: they are there because clients expect a Service to have them. They come
// from the name, so that nobody has to remember which are taken; two services may get the same one.
const nodePortFirst = 30_000;
const nodePortCount = 2_768;

/** Gives a new Service the addresses and ports that Kubernetes would give it. */
export function allocate(draft: DraftObject): void {
  const spec = innerMade(draft, "spec");
  syncClusterIps(spec);
  if (spec["type"] === "ExternalName") return;
  if (isUnset(spec["clusterIP"]) && isUnset(spec["clusterIPs"])) {
    spec["clusterIP"] = addressOf(draft);
    spec["clusterIPs"] = [spec["clusterIP"]];
  }
  fillFamilies(spec);
  allocateNodePorts(draft, spec);
}

/** Without an address and without pods of its own to choose, a Service may be of both families. */
function fillFamilies(spec: DraftObject): void {
  const isOfBoth = spec["clusterIP"] === "None" && inner(spec, "selector") === undefined;
  const own = String(spec["clusterIP"]).includes(":") ? "IPv6" : "IPv4";
  if (isOfBoth && isUnset(spec["ipFamilyPolicy"])) spec["ipFamilies"] ??= ["IPv4", "IPv6"];
  spec["ipFamilies"] ??= [own];
  spec["ipFamilyPolicy"] ??= isOfBoth ? "RequireDualStack" : "SingleStack";
}

/** After an update that left them out, a Service keeps what it has. */
export function keepAllocated(draft: DraftObject, old: Service): void {
  const spec = innerMade(draft, "spec");
  const isGone = spec["type"] === "ExternalName" && old.spec.type !== "ExternalName";
  if (isGone) dropAddresses(spec, old);
  if (spec["type"] === "ExternalName") return;
  if (old.spec.type !== "ExternalName" && isUnset(spec["clusterIP"])) keepAddress(spec, old);
  if (old.spec.type !== "ExternalName") keepNodePorts(spec, old);
  dropUnused(spec, old);
  allocate(draft);
}

function keepAddress(spec: DraftObject, old: Service): void {
  if (old.spec.clusterIP !== undefined) spec["clusterIP"] = old.spec.clusterIP;
  if (isUnset(spec["clusterIPs"]) && old.spec.clusterIPs !== undefined) spec["clusterIPs"] = [...old.spec.clusterIPs];
}

function keepNodePorts(spec: DraftObject, old: Service): void {
  if (!usesNodePorts(spec)) return;
  const before = new Map((old.spec.ports ?? []).map(({ name = "", nodePort }) => [name, nodePort]));
  for (const port of itemsOf(spec, "ports")) {
    const kept = before.get(String(port["name"] ?? ""));
    if (isNoPort(port["nodePort"]) && kept) port["nodePort"] = kept;
  }
  if (isNoPort(spec["healthCheckNodePort"]) && old.spec.healthCheckNodePort && needsHealthCheck(spec)) {
    spec["healthCheckNodePort"] = old.spec.healthCheckNodePort;
  }
}

/** Fields that were filled in for a type the Service no longer has go away with it. */
function dropUnused(spec: DraftObject, old: Service): void {
  const before = old.spec as unknown as DraftObject;
  const drop = (field: string): void => {
    if (spec[field] === before[field]) delete spec[field];
  };
  if (usesNodePorts(before) && !usesNodePorts(spec)) {
    for (const port of itemsOf(spec, "ports")) delete port["nodePort"];
  }
  if (needsHealthCheck(before) && !needsHealthCheck(spec)) drop("healthCheckNodePort");
  if (spec["type"] !== "LoadBalancer") {
    drop("allocateLoadBalancerNodePorts");
    drop("loadBalancerClass");
  }
  if (!isExternallyAccessible(spec as unknown as Service["spec"])) drop("externalTrafficPolicy");
}

function dropAddresses(spec: DraftObject, old: Service): void {
  if (isUnset(spec["clusterIP"]) || spec["clusterIP"] === old.spec.clusterIP) {
    for (const field of ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"]) {
      delete spec[field];
    }
  }
  dropUnused(spec, old);
}

/** Either of the two fields may be used; the other follows. */
function syncClusterIps(spec: DraftObject): void {
  const { clusterIP, clusterIPs } = spec;
  if (!isUnset(clusterIP) && isUnset(clusterIPs)) spec["clusterIPs"] = [clusterIP as string];
}

function allocateNodePorts(draft: DraftObject, spec: DraftObject): void {
  if (!usesNodePorts(spec)) return;
  const taken = new Set(itemsOf(spec, "ports").map((port) => port["nodePort"]));
  let next = hashOf(draft) % nodePortCount;
  const free = (): number => {
    while (taken.has(nodePortFirst + next)) next = (next + 1) % nodePortCount;
    taken.add(nodePortFirst + next);
    return nodePortFirst + next;
  };
  for (const port of itemsOf(spec, "ports")) if (isNoPort(port["nodePort"])) port["nodePort"] = free();
  if (needsHealthCheck(spec) && isNoPort(spec["healthCheckNodePort"])) spec["healthCheckNodePort"] = free();
}

function usesNodePorts(spec: DraftObject): boolean {
  return (
    spec["type"] === "NodePort" || (spec["type"] === "LoadBalancer" && spec["allocateLoadBalancerNodePorts"] !== false)
  );
}

function needsHealthCheck(spec: DraftObject): boolean {
  return spec["type"] === "LoadBalancer" && spec["externalTrafficPolicy"] === "Local";
}

function isNoPort(port: unknown): boolean {
  return port === undefined || port === null || port === 0;
}

/** Somewhere in 10.96.0.0/12. */
function addressOf(draft: DraftObject): string {
  const hash = hashOf(draft);
  return `10.${96 + ((hash >>> 16) & 15)}.${(hash >>> 8) & 255}.${1 + (hash % 254)}`;
}

function hashOf(draft: DraftObject): number {
  const { namespace = "", name = "" } = innerMade(draft, "metadata");
  return createHash("sha256").update(`${namespace}/${name}`).digest().readUInt32BE(0);
}
