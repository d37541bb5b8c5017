import { builtinKind } from "../builtin-kind.ts";
import { ageColumn, nameColumn, textColumn, typed, wideColumn } from "../columns.ts";
import { fallback, inner, innerMade, isUnset } from "../typed/draft.ts";
import { type DraftObject, isDraftObject } from "../typed/json-shape.ts";
import { claimIssues, claimWarnings, type VolumeClaim } from "./persistent-volume-claim-rules.ts";

const classAnnotation = "volume.beta.kubernetes.io/storage-class";
const modeLetters = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
] as const;

export const persistentVolumeClaim = builtinKind<VolumeClaim>({
  struct: "core.v1.PersistentVolumeClaim",
  group: "",
  plural: "persistentvolumeclaims",
  shortNames: ["pvc"],
  scope: "Namespaced",
  hasStatus: true,
  returnsDeleted: true,
  columns: [
    nameColumn,
    textColumn(
      "Status",
      typed<VolumeClaim>(({ metadata, status }) => (metadata.deletionTimestamp ? "Terminating" : (status.phase ?? ""))),
    ),
    textColumn(
      "Volume",
      typed<VolumeClaim>(({ spec }) => spec.volumeName ?? ""),
    ),
    textColumn("Capacity", typed<VolumeClaim>(capacityText)),
    textColumn("Access Modes", typed<VolumeClaim>(accessText)),
    textColumn("StorageClass", typed<VolumeClaim>(classText)),
    textColumn(
      "VolumeAttributesClass",
      typed<VolumeClaim>(({ spec }) => spec.volumeAttributesClassName ?? "<unset>"),
    ),
    ageColumn,
    wideColumn(
      "VolumeMode",
      typed<VolumeClaim>(({ spec }) => spec.volumeMode ?? "<unset>"),
    ),
  ],
  defaults: (draft) => {
    fallback(inner(draft, "spec"), "volumeMode", "Filesystem");
    fallback(inner(draft, "status"), "phase", "Pending");
  },
  onCreate: (draft) => mirrorDataSource(innerMade(draft, "spec")),
  validate: claimIssues,
  warnings: claimWarnings,
});

/** Two names for where the content comes from; either may be given, both are shown. */
function mirrorDataSource(spec: DraftObject): void {
  const { dataSource, dataSourceRef } = spec;
  if (isDraftObject(dataSource) && !isKnownSource(dataSource)) delete spec["dataSource"];
  else if (isDraftObject(dataSource)) spec["dataSourceRef"] ??= { ...dataSource };
  else if (isDraftObject(dataSourceRef) && isUnset(dataSourceRef["namespace"])) {
    const { apiGroup = null, kind = "", name = "" } = dataSourceRef;
    spec["dataSource"] = { apiGroup, kind, name };
  }
}

/** The older field is for claims and snapshots alone, and forgets anything else. */
function isKnownSource({ apiGroup, kind }: DraftObject): boolean {
  const isClaim = kind === "PersistentVolumeClaim" && isUnset(apiGroup);
  return isClaim || (kind === "VolumeSnapshot" && apiGroup === "snapshot.storage.k8s.io");
}

function capacityText({ spec, status }: VolumeClaim): string {
  return spec.volumeName ? (status.capacity?.["storage"] ?? "0") : "";
}

function accessText({ spec, status: { accessModes = [] } }: VolumeClaim): string {
  if (!spec.volumeName) return "";
  return modeLetters
    .filter(([mode]) => accessModes.includes(mode))
    .map(([, letters]) => letters)
    .join(",");
}

function classText({ metadata, spec }: VolumeClaim): string {
  return metadata.annotations?.[classAnnotation] ?? spec.storageClassName ?? "";
}
