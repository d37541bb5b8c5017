import { type FieldIssue, invalid } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { dnsLabel, qualifiedName } from "@milo-quota/kubernetes/protocol/names.ts";
import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { allVerbs, builtinKind } from "../builtin-kind.ts";
import { ageColumn, nameColumn, textColumn, typed } from "../columns.ts";
import { nameRuleIssues } from "../field-checks.ts";
import { ensureNestedObject, setDefault } from "../typed/draft.ts";
import type { DraftObject } from "../typed/go-round-trip.ts";

interface Namespace {
  readonly metadata: ObjectMeta;
  readonly spec: { readonly finalizers?: readonly string[] };
  readonly status: { readonly phase?: string };
}

const ownFinalizer = "kubernetes";
const nameLabel = "kubernetes.io/metadata.name";
const standardFinalizers = ["kubernetes", "orphan", "foregroundDeletion"];

export const namespace = builtinKind<Namespace>({
  struct: "core.v1.Namespace",
  group: "",
  plural: "namespaces",
  shortNames: ["ns"],
  scope: "Cluster",
  verbs: allVerbs.filter((verb) => verb !== "deletecollection"),
  hasStatus: true,
  nameRule: dnsLabel,
  selectableFields: ["status.phase"],
  returnsDeleted: true,
  columns: [
    nameColumn,
    textColumn(
      "Status",
      typed<Namespace>(({ status }) => status.phase ?? ""),
    ),
    ageColumn,
  ],
  defaults: (draft) => {
    setDefault(ensureNestedObject(draft, "status"), "phase", "Active");
    labelWithName(draft);
  },
  onCreate: (draft) => {
    const spec = ensureNestedObject(draft, "spec");
    const finalizers = Array.isArray(spec["finalizers"]) ? spec["finalizers"] : [];
    spec["finalizers"] = finalizers.includes(ownFinalizer) ? finalizers : [...finalizers, ownFinalizer];
  },
  onUpdate: (draft, old, part) => {
    // Only /finalize changes finalizers: permission to update labels must not allow skipping the cleanup.
    if (part !== "") return;
    const { finalizers = [] } = old.spec;
    if (finalizers.length > 0) ensureNestedObject(draft, "spec")["finalizers"] = [...finalizers];
    else delete ensureNestedObject(draft, "spec")["finalizers"];
  },
  validate: (object, old, part) => [
    ...(old === undefined || part === "finalize" ? finalizerIssues(object, part) : []),
    ...(part === "status" ? phaseIssues(object) : []),
  ],
});

function labelWithName(draft: DraftObject): void {
  const metadata = ensureNestedObject(draft, "metadata");
  const name = metadata["name"];
  if (typeof name === "string" && name !== "") ensureNestedObject(metadata, "labels")[nameLabel] = name;
}

function finalizerIssues({ spec: { finalizers = [] } }: Namespace, part: string): readonly FieldIssue[] {
  return finalizers.flatMap((name, index) => {
    const path = part === "finalize" ? `spec.finalizers[${index}]` : "spec.finalizers";
    const isKnown = name.includes("/") || standardFinalizers.includes(name);
    const fault = "name is neither a standard finalizer name nor is it fully qualified";
    return [...nameRuleIssues(path, name, qualifiedName), ...(isKnown ? [] : [invalid(path, name, fault)])];
  });
}

function phaseIssues({ metadata, status: { phase = "" } }: Namespace): readonly FieldIssue[] {
  const isLive = metadata.deletionTimestamp === undefined;
  const wanted = isLive ? "Active" : "Terminating";
  if (phase === wanted) return [];
  return [
    invalid("status.Phase", phase, `may only be '${wanted}' if \`deletionTimestamp\` is ${isLive ? "" : "not "}empty`),
  ];
}
