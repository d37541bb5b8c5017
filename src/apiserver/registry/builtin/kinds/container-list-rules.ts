import {
  childPath,
  duplicate,
  type FieldIssue,
  forbidden,
  itemPath,
  required,
} from "../../../../protocol/field-issue.ts";
import { containerIssues } from "./container-rules.ts";
import type { Container, PodSpec } from "./pod-object.ts";
import { lifecycleIssues, livenessIssues, readinessIssues } from "./probe-rules.ts";

export function containersIssues(
  containers: readonly Container[],
  path: string,
  volumes: ReadonlySet<string>,
): readonly FieldIssue[] {
  if (containers.length === 0) return [required(path)];
  return [
    ...containers.flatMap((container, index) => {
      const at = itemPath(path, index);
      const isRepeated = containers.slice(0, index).some(({ name }) => name === container.name);
      return [
        ...containerIssues(container, at, volumes),
        ...(isRepeated ? [duplicate(childPath(at, "name"), container.name)] : []),
        ...probesIssues(container, at),
      ];
    }),
    ...hostPortIssues(containers, path),
  ];
}

function probesIssues(container: Container, path: string): readonly FieldIssue[] {
  const { lifecycle, livenessProbe, readinessProbe, startupProbe } = container;
  return [
    ...(lifecycle === undefined ? [] : lifecycleIssues(lifecycle, childPath(path, "lifecycle"))),
    ...(livenessProbe === undefined ? [] : livenessIssues(livenessProbe, childPath(path, "livenessProbe"))),
    ...(readinessProbe === undefined ? [] : readinessIssues(readinessProbe, childPath(path, "readinessProbe"))),
    ...(startupProbe === undefined ? [] : livenessIssues(startupProbe, childPath(path, "startupProbe"))),
  ];
}

/** Containers that run before the others; one that restarts always keeps running beside them. */
export function initContainersIssues(
  { initContainers = [], containers }: PodSpec,
  path: string,
  volumes: ReadonlySet<string>,
): readonly FieldIssue[] {
  const names = new Set((containers ?? []).map(({ name }) => name));
  return initContainers.flatMap((container, index) => {
    const at = itemPath(path, index);
    const isRepeated = names.has(container.name);
    if (container.name !== "") names.add(container.name);
    return [
      ...containerIssues(container, at, volumes),
      ...(isRepeated ? [duplicate(childPath(at, "name"), container.name)] : []),
      ...hostPortIssues([container], path),
      ...(container.restartPolicy === "Always" ? probesIssues(container, at) : withoutProbesIssues(container, at)),
    ];
  });
}

function withoutProbesIssues(container: Container, path: string): readonly FieldIssue[] {
  const given = (["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const).filter(
    (field) => container[field] !== undefined,
  );
  return given.map((field) =>
    forbidden(childPath(path, field), "may not be set for init containers without restartPolicy=Always"),
  );
}

function hostPortIssues(containers: readonly Container[], path: string): readonly FieldIssue[] {
  const taken = new Set<string>();
  return containers.flatMap(({ ports = [] }, at) =>
    ports.flatMap(({ hostPort = 0, protocol = "", hostIP = "" }, index) => {
      const used = `${protocol}/${hostIP}/${hostPort}`;
      const isRepeated = hostPort !== 0 && taken.has(used);
      taken.add(used);
      const field = `${itemPath(path, at)}.${itemPath("ports", index)}.hostPort`;
      return isRepeated ? [duplicate(field, used)] : [];
    }),
  );
}
