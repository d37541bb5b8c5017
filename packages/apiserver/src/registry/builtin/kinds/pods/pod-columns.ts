import { timeSince } from "../../age.ts";
import type { ContainerStatus, Pod } from "./pod-object.ts";

/** The state of a pod in a table. */
export interface PodSummary {
  readonly reason: string;
  readonly ready: number;
  readonly total: number;
  readonly restarts: number;
  readonly restartedAt: string | undefined;
}

export function podSummary(pod: Pod): PodSummary {
  const starting = initSummary(pod);
  const isInitialized = hasCondition(pod, "Initialized");
  const summary = starting.isBusy && !isInitialized ? starting : runningSummary(pod, starting);
  const { ready, restarts, restartedAt } = summary;
  const sidecars = (pod.spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always").length;
  const total = (pod.spec.containers ?? []).length + sidecars;
  return { reason: finalReason(pod, summary.reason), ready, total, restarts, restartedAt };
}

interface Progress {
  readonly reason: string;
  readonly ready: number;
  readonly restarts: number;
  readonly restartedAt: string | undefined;
}

interface Starting extends Progress {
  readonly isBusy: boolean;
  /** Of sidecar containers. */
  readonly sidecar: Pick<Progress, "restarts" | "restartedAt">;
}

function initSummary(pod: Pod): Starting {
  const { initContainerStatuses = [] } = pod.status;
  const sidecars = new Set(
    (pod.spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always").map(({ name }) => name),
  );
  const seen: ContainerStatus[] = [];
  let ready = 0;
  for (const [index, status] of initContainerStatuses.entries()) {
    seen.push(status);
    if (status.state?.terminated?.exitCode === 0) continue;
    if (!sidecars.has(status.name) || status.started !== true) {
      const reason = initReason(status, index, (pod.spec.initContainers ?? []).length);
      return { reason, ready, isBusy: true, ...restartsOf(seen), sidecar: restartsOf(onlySidecars(seen, sidecars)) };
    }
    if (status.ready === true) ready += 1;
  }
  const sidecar = restartsOf(onlySidecars(seen, sidecars));
  return { reason: firstReason(pod), ready, isBusy: false, ...restartsOf(seen), sidecar };
}

function onlySidecars(statuses: readonly ContainerStatus[], sidecars: ReadonlySet<string>): ContainerStatus[] {
  return statuses.filter(({ name }) => sidecars.has(name));
}

function initReason({ state }: ContainerStatus, index: number, count: number): string {
  if (state?.terminated !== undefined) return `Init:${endReason(state.terminated)}`;
  const waiting = state?.waiting?.reason ?? "";
  return waiting !== "" && waiting !== "PodInitializing" ? `Init:${waiting}` : `Init:${index}/${count}`;
}

function endReason({
  reason = "",
  signal = 0,
  exitCode,
}: NonNullable<NonNullable<ContainerStatus["state"]>["terminated"]>): string {
  if (reason !== "") return reason;
  return signal === 0 ? `ExitCode:${exitCode}` : `Signal:${signal}`;
}

function runningSummary(pod: Pod, starting: Starting): Progress {
  const { containerStatuses = [] } = pod.status;
  let { reason, ready } = starting;
  let hasRunning = false;
  for (const { state, ready: isReady } of [...containerStatuses].reverse()) {
    if (state?.waiting?.reason) reason = state.waiting.reason;
    else if (state?.terminated !== undefined) reason = endReason(state.terminated);
    else if (isReady === true && state?.running !== undefined) {
      hasRunning = true;
      ready += 1;
    }
  }
  if (reason === "Completed" && hasRunning) reason = hasCondition(pod, "Ready") ? "Running" : "NotReady";
  const own = restartsOf(containerStatuses);
  const restartedAt = later(starting.sidecar.restartedAt, own.restartedAt);
  return { reason, ready, restarts: starting.sidecar.restarts + own.restarts, restartedAt };
}

function firstReason({ status: { phase = "", reason = "", conditions = [] } }: Pod): string {
  const isGated = conditions.some(({ type, reason: why }) => type === "PodScheduled" && why === "SchedulingGated");
  return isGated ? "SchedulingGated" : reason || phase;
}

function finalReason({ metadata, status: { phase = "", reason: phaseReason } }: Pod, reason: string): string {
  if (metadata.deletionTimestamp === undefined) return reason;
  if (phaseReason === "NodeLost") return "Unknown";
  return phase === "Succeeded" || phase === "Failed" ? reason : "Terminating";
}

function restartsOf(statuses: readonly ContainerStatus[]): Pick<Progress, "restarts" | "restartedAt"> {
  return {
    restarts: statuses.reduce((sum, { restartCount }) => sum + restartCount, 0),
    restartedAt: statuses
      .map(({ lastState }) => lastState?.terminated?.finishedAt ?? undefined)
      .reduce(later, undefined),
  };
}

/** Timestamps of one format compare as strings. */
function later(left: string | undefined, right: string | undefined): string | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return left < right ? right : left;
}

function hasCondition({ status: { conditions = [] } }: Pod, type: string): boolean {
  return conditions.some((condition) => condition.type === type && condition.status === "True");
}

export function restartsText({ restarts, restartedAt }: PodSummary, nowMs: number): string {
  return restarts === 0 || restartedAt === undefined
    ? String(restarts)
    : `${restarts} (${timeSince(restartedAt, nowMs)} ago)`;
}

export function readinessGatesText({ spec: { readinessGates = [] }, status: { conditions = [] } }: Pod): string {
  if (readinessGates.length === 0) return "<none>";
  const open = readinessGates.filter(
    ({ conditionType }) => conditions.find(({ type }) => type === conditionType)?.status === "True",
  );
  return `${open.length}/${readinessGates.length}`;
}
