import { ensureNestedObject, isUnset, itemsOf, nestedObject, setDefault } from "../../typed/draft.ts";
import type { DraftObject } from "../../typed/go-round-trip.ts";
import { isExternallyAccessible, type Service } from "./service-object.ts";

const affinitySeconds = 10_800;

/** Defaults of a Service. */
export function fillService(draft: DraftObject): void {
  const spec = ensureNestedObject(draft, "spec");
  setDefault(spec, "sessionAffinity", "None");
  fillAffinity(spec);
  setDefault(spec, "type", "ClusterIP");
  for (const port of itemsOf(spec, "ports")) fillPort(port);
  if (isExternallyAccessible(spec as unknown as Service["spec"])) setDefault(spec, "externalTrafficPolicy", "Cluster");
  if (spec["type"] !== "ExternalName") setDefault(spec, "internalTrafficPolicy", "Cluster");
  if (spec["type"] !== "LoadBalancer") return;
  spec["allocateLoadBalancerNodePorts"] ??= true;
  for (const ingress of itemsOf(nestedObject(ensureNestedObject(draft, "status"), "loadBalancer"), "ingress")) {
    if (!isUnset(ingress["ip"])) setDefault(ingress, "ipMode", "VIP");
  }
}

function fillAffinity(spec: DraftObject): void {
  if (spec["sessionAffinity"] === "None") delete spec["sessionAffinityConfig"];
  if (spec["sessionAffinity"] !== "ClientIP") return;
  ensureNestedObject(ensureNestedObject(spec, "sessionAffinityConfig"), "clientIP")["timeoutSeconds"] ??=
    affinitySeconds;
}

function fillPort(port: DraftObject): void {
  setDefault(port, "protocol", "TCP");
  const target = port["targetPort"];
  if (isUnset(target) || target === 0) port["targetPort"] = port["port"] ?? 0;
}
