import { builtinKind } from "../builtin-kind.ts";
import { ageColumn, nameColumn, textColumn, typed, wideColumn } from "../columns.ts";
import { nestedObject, setDefault } from "../typed/draft.ts";
import { claimIssues, type VolumeClaim } from "./persistent-volume-claim-rules.ts";

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
    textColumn(
      "StorageClass",
      typed<VolumeClaim>(({ spec }) => spec.storageClassName ?? ""),
    ),
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
    setDefault(nestedObject(draft, "spec"), "volumeMode", "Filesystem");
    setDefault(nestedObject(draft, "status"), "phase", "Pending");
  },
  validate: claimIssues,
});

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
