import {
  childPath,
  duplicate,
  type FieldIssue,
  forbidden,
  invalid,
  itemPath,
  required,
} from "../../../../protocol/field-issue.ts";
import { dnsLabel } from "../../../../protocol/names.ts";
import { nameFaults, unless } from "../field-checks.ts";
import { nanosOf } from "../resource-names.ts";
import { claimSpecIssues } from "./persistent-volume-claim-rules.ts";
import type { Volume } from "./pod-object.ts";

export function volumeIssues(volumes: readonly Volume[], path: string): readonly FieldIssue[] {
  return volumes.flatMap((volume, index) => {
    const at = itemPath(path, index);
    const name = childPath(at, "name");
    const isRepeated = volumes.slice(0, index).some((earlier) => earlier.name === volume.name);
    const faults = volume.name === "" ? [required(name)] : nameFaults(name, volume.name, dnsLabel);
    return [
      ...sourceCountIssues(volume, at),
      ...sourceIssues(volume, at),
      ...(faults.length === 0 && isRepeated ? [duplicate(name, volume.name)] : faults),
    ];
  });
}

function sourceCountIssues(volume: Volume, path: string): readonly FieldIssue[] {
  const sources = sourcesOf(volume);
  if (sources.length === 0) return [required(path, "must specify a volume type")];
  return sources
    .slice(1)
    .map((source) => forbidden(childPath(path, source), "may not specify more than 1 volume type"));
}

/** The sources that Kubernetes looks at before all others. */
const lookedAtFirst = ["emptyDir", "hostPath"];

function sourcesOf(volume: Volume): readonly string[] {
  const sources = Object.keys(volume).filter((key) => key !== "name");
  return [
    ...lookedAtFirst.filter((source) => sources.includes(source)),
    ...sources.filter((source) => !lookedAtFirst.includes(source)),
  ];
}

function sourceIssues(volume: Volume, path: string): readonly FieldIssue[] {
  // With several sources only the first is looked at; the others are refused as such.
  const [first = ""] = sourcesOf(volume);
  const { persistentVolumeClaim: claim, configMap, secret, hostPath, emptyDir, ephemeral } = pick(volume, first);
  return [
    ...unless(claim === undefined || claim.claimName !== "", () =>
      required(childPath(path, "persistentVolumeClaim.claimName")),
    ),
    ...unless(configMap === undefined || Boolean(configMap.name), () => required(childPath(path, "configMap.name"))),
    ...unless(secret === undefined || Boolean(secret.secretName), () => required(childPath(path, "secret.secretName"))),
    ...(hostPath === undefined ? [] : hostPathIssues(hostPath.path, childPath(path, "hostPath.path"))),
    ...unless(nanosOf(emptyDir?.sizeLimit) >= 0n, () =>
      forbidden(childPath(path, "emptyDir.sizeLimit"), "SizeLimit field must be a valid resource quantity"),
    ),
    ...(ephemeral === undefined ? [] : ephemeralIssues(ephemeral, childPath(path, "ephemeral"))),
  ];
}

function pick(volume: Volume, source: string): Partial<Volume> {
  return { [source]: volume[source as keyof Volume] };
}

function hostPathIssues(hostPath: string, path: string): readonly FieldIssue[] {
  if (hostPath === "") return [required(path)];
  return unless(!hostPath.split("/").includes(".."), () => invalid(path, hostPath, "must not contain '..'"));
}

function ephemeralIssues(
  { volumeClaimTemplate }: NonNullable<Volume["ephemeral"]>,
  path: string,
): readonly FieldIssue[] {
  const template = childPath(path, "volumeClaimTemplate");
  if (volumeClaimTemplate === undefined) return [required(template)];
  return claimSpecIssues(volumeClaimTemplate.spec, childPath(template, "spec"));
}
