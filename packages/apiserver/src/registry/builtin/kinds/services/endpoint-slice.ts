import { builtinKind } from "../../builtin-kind.ts";
import { ageColumn, nameColumn, textColumn, typed } from "../../columns.ts";
import { itemsOf, setDefault } from "../../typed/draft.ts";
import { type EndpointSlice, endpointSliceIssues } from "./endpoint-slice-rules.ts";

const shownMax = 3;

export const endpointSlice = builtinKind<EndpointSlice>({
  struct: "discovery.v1.EndpointSlice",
  group: "discovery.k8s.io",
  plural: "endpointslices",
  scope: "Namespaced",
  hasGeneration: true,
  columns: [
    nameColumn,
    textColumn(
      "AddressType",
      typed<EndpointSlice>(({ addressType }) => addressType),
    ),
    textColumn("Ports", typed<EndpointSlice>(portText)),
    textColumn("Endpoints", typed<EndpointSlice>(endpointText)),
    ageColumn,
  ],
  defaults: (draft) => {
    for (const port of itemsOf(draft, "ports")) {
      port["name"] ??= "";
      setDefault(port, "protocol", "TCP");
    }
  },
  validate: endpointSliceIssues,
});

function portText({ ports }: EndpointSlice): string {
  return shortList(
    (ports ?? []).map(({ port, name }) => String(port ?? name ?? "*")),
    "<unset>",
  );
}

function endpointText({ endpoints }: EndpointSlice): string {
  return shortList(
    (endpoints ?? []).flatMap(({ addresses }) => addresses ?? []),
    "<unset>",
  );
}

function shortList(all: readonly string[], none: string): string {
  if (all.length === 0) return none;
  const shown = all.slice(0, shownMax).join(",");
  return all.length > shownMax ? `${shown} + ${all.length - shownMax} more...` : shown;
}
