import {
  childPath,
  type FieldIssue,
  forbidden,
  invalid,
  itemPath,
  notSupported,
  required,
} from "../../../../protocol/field-issue.ts";
import type { LabelSelector } from "../../../../protocol/label-selector.ts";
import { dnsSubdomain } from "../../../../protocol/names.ts";
import type { ObjectMeta } from "../../../../protocol/object-meta.ts";
import type { WrittenPart } from "../../served-kind.ts";
import { immutable, nameFaults, same, unless } from "../field-checks.ts";
import { labelSelectorIssues } from "../label-selector-rules.ts";
import { nanosOf, type ResourceList } from "../resource-names.ts";
import { specDifference } from "../spec-difference.ts";

interface DataSource {
  readonly apiGroup?: string | null;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

export interface VolumeClaimSpec {
  readonly accessModes?: readonly string[];
  readonly selector?: LabelSelector;
  readonly resources?: { readonly requests?: ResourceList; readonly limits?: ResourceList };
  readonly volumeName?: string;
  readonly storageClassName?: string;
  readonly volumeMode?: string;
  readonly dataSource?: DataSource;
  readonly dataSourceRef?: DataSource;
  readonly volumeAttributesClassName?: string;
}

export interface VolumeClaim {
  readonly metadata: ObjectMeta;
  readonly spec: VolumeClaimSpec;
  readonly status: {
    readonly phase?: string;
    readonly accessModes?: readonly string[];
    readonly capacity?: ResourceList;
  };
}

const accessModes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const volumeModes = ["Block", "Filesystem"];
const storagePath = "spec.resources.requests.storage";

export function claimIssues(
  claim: VolumeClaim,
  old: VolumeClaim | undefined,
  part: WrittenPart,
): readonly FieldIssue[] {
  if (part === "status") return capacityIssues(claim);
  return [...claimSpecIssues(claim.spec, "spec"), ...(old === undefined ? [] : changeIssues(claim, old))];
}

function capacityIssues({ status: { capacity = {} } }: VolumeClaim): readonly FieldIssue[] {
  return Object.entries(capacity).flatMap(([name, amount]) =>
    unless(nanosOf(amount) >= 0n, () =>
      invalid(itemPath("status.capacity", name), amount, "must be a valid resource quantity"),
    ),
  );
}

export function claimSpecIssues(spec: VolumeClaimSpec, path: string): readonly FieldIssue[] {
  const { storageClassName = "", volumeMode = "Filesystem", volumeAttributesClassName = "" } = spec;
  const named = (field: string, name: string): readonly FieldIssue[] =>
    name === "" ? [] : nameFaults(childPath(path, field), name, dnsSubdomain);
  return [
    ...modeIssues(spec.accessModes ?? [], childPath(path, "accessModes")),
    ...labelSelectorIssues(spec.selector ?? {}, childPath(path, "selector")),
    ...sizeIssues(spec, itemPath(childPath(path, "resources"), "storage")),
    ...named("storageClassName", storageClassName),
    ...unless(volumeModes.includes(volumeMode), () =>
      notSupported(childPath(path, "volumeMode"), volumeMode, volumeModes),
    ),
    ...(spec.dataSource === undefined ? [] : sourceIssues(spec.dataSource, childPath(path, "dataSource"))),
    ...(spec.dataSourceRef === undefined ? [] : sourceIssues(spec.dataSourceRef, childPath(path, "dataSourceRef"))),
    ...named("volumeAttributesClassName", volumeAttributesClassName),
  ];
}

function modeIssues(modes: readonly string[], path: string): readonly FieldIssue[] {
  const known = modes.filter((mode) => accessModes.includes(mode));
  const isMixed = known.includes("ReadWriteOncePod") && known.some((mode) => mode !== "ReadWriteOncePod");
  return [
    ...unless(modes.length > 0, () => required(path, "at least 1 access mode is required")),
    ...modes.filter((mode) => !accessModes.includes(mode)).map((mode) => notSupported(path, mode, accessModes)),
    ...(isMixed ? [forbidden(path, "may not use ReadWriteOncePod with other access modes")] : []),
  ];
}

function sizeIssues({ resources }: VolumeClaimSpec, path: string): readonly FieldIssue[] {
  const size = resources?.requests?.["storage"];
  if (size === undefined) return [required(path)];
  return unless(nanosOf(size) > 0n, () => invalid(path, size, "must be greater than zero"));
}

function sourceIssues({ apiGroup: group, kind, name }: DataSource, path: string): readonly FieldIssue[] {
  const apiGroup = group ?? "";
  const fault = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
  return [
    ...unless(name !== "", () => required(childPath(path, "name"))),
    ...unless(kind !== "", () => required(childPath(path, "kind"))),
    ...unless(apiGroup !== "" || kind === "PersistentVolumeClaim", () => invalid(path, kind, fault)),
    ...(apiGroup === "" ? [] : nameFaults(childPath(path, "apiGroup"), apiGroup, dnsSubdomain)),
  ];
}

function changeIssues(claim: VolumeClaim, old: VolumeClaim): readonly FieldIssue[] {
  const size = nanosOf(claim.spec.resources?.requests?.["storage"]);
  const before = nanosOf(old.spec.resources?.requests?.["storage"]);
  const capacity = nanosOf(old.status.capacity?.["storage"]);
  const change = specDifference(comparable(old.spec, claim, old), comparable(claim.spec, claim, old));
  const fixed =
    "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
  return [
    ...(change === "" ? [] : [forbidden("spec", `${fixed}\n${change}`)]),
    ...(size < before && size <= capacity
      ? [forbidden(storagePath, "field can not be less than status.capacity")]
      : []),
    ...immutable("volumeMode", claim.spec.volumeMode, old.spec.volumeMode),
  ];
}

/** A spec without what may change: the volume it is bound to, once; and when bound, size and attributes. */
function comparable(spec: VolumeClaimSpec, claim: VolumeClaim, old: VolumeClaim): VolumeClaimSpec {
  const { volumeName, storageClassName, volumeAttributesClassName, resources, ...rest } = spec;
  const isBound = claim.status.phase === "Bound";
  const { storage, ...requests } = resources?.requests ?? {};
  return {
    ...rest,
    ...(old.spec.volumeName ? { volumeName: volumeName ?? "" } : {}),
    ...(old.spec.storageClassName === undefined ? {} : { storageClassName: storageClassName ?? "" }),
    ...(isBound ? {} : { volumeAttributesClassName: volumeAttributesClassName ?? "" }),
    resources: { ...resources, requests: isBound || storage === undefined ? requests : { ...requests, storage } },
  };
}

const classAnnotation = "volume.beta.kubernetes.io/storage-class";

export function claimWarnings({ metadata, spec }: VolumeClaim, old: VolumeClaim | undefined): readonly string[] {
  const size = spec.resources?.requests?.["storage"];
  const isFractional = size !== undefined && nanosOf(size) % 1_000_000_000n !== 0n;
  const isNew = old === undefined || !same(spec, old.spec);
  return [
    ...(metadata.annotations?.[classAnnotation] === undefined
      ? []
      : [`metadata.annotations[${classAnnotation}]: deprecated since v1.8; use "storageClassName" attribute instead`]),
    ...(isNew && isFractional
      ? [
          `${itemPath("spec.resources.requests", "storage")}: fractional byte value "${size}" is invalid, must be an integer`,
        ]
      : []),
  ];
}
