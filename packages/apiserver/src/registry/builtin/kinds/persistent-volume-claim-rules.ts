import {
  type FieldIssue,
  forbidden,
  invalid,
  notSupported,
  required,
} from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { WrittenSubresource } from "../../kinds/served-kind.ts";
import { issueUnless } from "../field-checks.ts";
import { nanosOf, type ResourceList } from "../resource-names.ts";
import { specDifference } from "../spec-difference.ts";

interface VolumeClaimSpec {
  readonly accessModes?: readonly string[];
  readonly resources?: { readonly requests?: ResourceList; readonly limits?: ResourceList };
  readonly volumeName?: string;
  readonly storageClassName?: string;
  readonly volumeMode?: string;
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
const storagePath = "spec.resources.requests.storage";

export function claimIssues(
  claim: VolumeClaim,
  old: VolumeClaim | undefined,
  part: WrittenSubresource,
): readonly FieldIssue[] {
  if (part === "status") return [];
  return [
    ...modeIssues(claim.spec.accessModes ?? []),
    ...sizeIssues(claim.spec),
    ...(old === undefined ? [] : changeIssues(claim, old)),
  ];
}

function modeIssues(modes: readonly string[]): readonly FieldIssue[] {
  const path = "spec.accessModes";
  if (modes.length === 0) return [required(path, "at least 1 access mode is required")];
  return modes.filter((mode) => !accessModes.includes(mode)).map((mode) => notSupported(path, mode, accessModes));
}

function sizeIssues({ resources }: VolumeClaimSpec): readonly FieldIssue[] {
  const path = "spec.resources[storage]";
  const size = resources?.requests?.["storage"];
  if (size === undefined) return [required(path)];
  return issueUnless(nanosOf(size) > 0n, () => invalid(path, size, "must be greater than zero"));
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
  ];
}

/**
 * The immutable part of a spec: without the volume name when it is first bound, and, when bound, without size and
 * attributes.
 */
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
