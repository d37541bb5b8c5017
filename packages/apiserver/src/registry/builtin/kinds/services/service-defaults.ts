import { fallback, inner, innerMade, isUnset, itemsOf } from "../../typed/draft.ts";
import type { DraftObject } from "../../typed/json-shape.ts";
import { isExternallyAccessible, type Service } from "./service-object.ts";

const affinitySeconds = 10_800;

/** What a Service gets when it does not say. */
export function fillService(draft: DraftObject): void {
  const spec = innerMade(draft, "spec");
  fallback(spec, "sessionAffinity", "None");
  fillAffinity(spec);
  fallback(spec, "type", "ClusterIP");
  for (const port of itemsOf(spec, "ports")) fillPort(port);
  if (isExternallyAccessible(spec as unknown as Service["spec"])) fallback(spec, "externalTrafficPolicy", "Cluster");
  if (spec["type"] !== "ExternalName") fallback(spec, "internalTrafficPolicy", "Cluster");
  if (spec["type"] !== "LoadBalancer") return;
  spec["allocateLoadBalancerNodePorts"] ??= true;
  for (const ingress of itemsOf(inner(innerMade(draft, "status"), "loadBalancer"), "ingress")) {
    if (!isUnset(ingress["ip"])) fallback(ingress, "ipMode", "VIP");
  }
}

function fillAffinity(spec: DraftObject): void {
  if (spec["sessionAffinity"] === "None") delete spec["sessionAffinityConfig"];
  if (spec["sessionAffinity"] !== "ClientIP") return;
  innerMade(innerMade(spec, "sessionAffinityConfig"), "clientIP")["timeoutSeconds"] ??= affinitySeconds;
}

function fillPort(port: DraftObject): void {
  fallback(port, "protocol", "TCP");
  const target = port["targetPort"];
  if (isUnset(target) || target === 0) port["targetPort"] = port["port"] ?? 0;
}
