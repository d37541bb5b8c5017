import { builtinKind } from "../builtin-kind.ts";
import { ageColumn, nameColumn, textColumn, typed } from "../columns.ts";
import { fallback, itemsOf } from "../typed/draft.ts";
import { type Endpoints, endpointsIssues } from "./endpoints-rules.ts";

const shownMax = 3;

export const endpoints = builtinKind<Endpoints>({
  struct: "core.v1.Endpoints",
  group: "",
  plural: "endpoints",
  shortNames: ["ep"],
  scope: "Namespaced",
  createsOnUpdate: true,
  columns: [nameColumn, textColumn("Endpoints", typed<Endpoints>(addressText)), ageColumn],
  defaults: (draft) => {
    for (const subset of itemsOf(draft, "subsets")) {
      for (const port of itemsOf(subset, "ports")) fallback(port, "protocol", "TCP");
    }
  },
  validate: endpointsIssues,
  deprecationWarning: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
});

function addressText({ subsets = [] }: Endpoints): string {
  if (subsets.length === 0) return "<none>";
  const all = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip }) => ip)
      : ports.flatMap(({ port }) => addresses.map(({ ip }) => hostPort(ip, port))),
  );
  const shown = all.slice(0, shownMax).join(",");
  return all.length > shownMax ? `${shown} + ${all.length - shownMax} more...` : shown;
}

function hostPort(ip: string, port: number): string {
  return ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`;
}
