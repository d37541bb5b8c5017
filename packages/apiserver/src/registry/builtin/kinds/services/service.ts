import { builtinKind } from "../../builtin-kind.ts";
import { ageColumn, nameColumn, textColumn, typed, wideColumn } from "../../columns.ts";
import { labelsText } from "../../labels-text.ts";
import { dns1035Label } from "../../name-rules.ts";
import { allocate, keepAllocated } from "./service-addresses.ts";
import { fillService } from "./service-defaults.ts";
import type { Service } from "./service-object.ts";
import { serviceIssues } from "./service-rules.ts";

export const service = builtinKind<Service>({
  struct: "core.v1.Service",
  group: "",
  plural: "services",
  shortNames: ["svc"],
  categories: ["all"],
  scope: "Namespaced",
  hasStatus: true,
  nameRule: dns1035Label,
  createsOnUpdate: true,
  returnsDeleted: true,
  selectableFields: ["spec.clusterIP", "spec.type"],
  columns: [
    nameColumn,
    textColumn(
      "Type",
      typed<Service>(({ spec }) => spec.type),
    ),
    textColumn(
      "Cluster-IP",
      typed<Service>(({ spec }) => spec.clusterIPs?.[0] ?? "<none>"),
    ),
    textColumn("External-IP", typed<Service>(externalIp)),
    textColumn("Port(s)", typed<Service>(portText)),
    ageColumn,
    wideColumn(
      "Selector",
      typed<Service>(({ spec }) => labelsText(spec.selector)),
    ),
  ],
  defaults: fillService,
  onCreate: allocate,
  onUpdate: (draft, old, part) => {
    if (part !== "status") keepAllocated(draft, old);
  },
  validate: serviceIssues,
});

function externalIp({ spec, status }: Service): string {
  const { externalIPs = [] } = spec;
  switch (spec.type) {
    case "ClusterIP":
    case "NodePort":
      return externalIPs.length > 0 ? externalIPs.join(",") : "<none>";
    case "LoadBalancer": {
      const ingress = (status.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || "");
      const all = [...[...new Set(ingress.filter((address) => address !== ""))].sort(), ...externalIPs];
      return all.length > 0 ? all.join(",") : "<pending>";
    }
    case "ExternalName":
      return spec.externalName ?? "";
    default:
      return "<unknown>";
  }
}

function portText({ spec: { ports = [] } }: Service): string {
  if (ports.length === 0) return "<none>";
  return ports
    .map(({ port, nodePort, protocol }) => (nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`))
    .join(",");
}
