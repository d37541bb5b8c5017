import {
  childPath,
  type FieldIssue,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../../../protocol/field-issue.ts";
import { unless } from "../field-checks.ts";
import { portNameFaults, portNumberIssues } from "../ports.ts";
import type { Container, Handler, Probe } from "./pod-object.ts";

const handlers = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"] as const;
const counts = [
  "initialDelaySeconds",
  "timeoutSeconds",
  "periodSeconds",
  "successThreshold",
  "failureThreshold",
] as const;

/** Probes that decide whether a container lives: one success is enough, and no more can be asked for. */
export function livenessIssues(probe: Probe, path: string): readonly FieldIssue[] {
  return [
    ...probeIssues(probe, path),
    ...unless((probe.successThreshold ?? 1) === 1, () =>
      invalid(childPath(path, "successThreshold"), probe.successThreshold, "must be 1"),
    ),
  ];
}

export function readinessIssues(probe: Probe, path: string): readonly FieldIssue[] {
  const { terminationGracePeriodSeconds: grace } = probe;
  return [
    ...probeIssues(probe, path),
    ...unless(grace === undefined, () =>
      invalid(childPath(path, "terminationGracePeriodSeconds"), grace, "must not be set for readinessProbes"),
    ),
  ];
}

export function lifecycleIssues(lifecycle: NonNullable<Container["lifecycle"]>, path: string): readonly FieldIssue[] {
  const { postStart, preStop } = lifecycle;
  return [
    ...(postStart === undefined ? [] : handlerIssues(postStart, childPath(path, "postStart"))),
    ...(preStop === undefined ? [] : handlerIssues(preStop, childPath(path, "preStop"))),
  ];
}

function probeIssues(probe: Probe, path: string): readonly FieldIssue[] {
  const { terminationGracePeriodSeconds: grace } = probe;
  return [
    ...handlerIssues(probe, path),
    ...counts.flatMap((field) =>
      unless((probe[field] ?? 0) >= 0, () =>
        invalid(childPath(path, field), probe[field], "must be greater than or equal to 0"),
      ),
    ),
    ...unless(grace === undefined || grace > 0, () =>
      invalid(childPath(path, "terminationGracePeriodSeconds"), grace, "must be greater than 0"),
    ),
  ];
}

function handlerIssues(handler: Handler, path: string): readonly FieldIssue[] {
  const [first, ...others] = handlers.filter((name) => handler[name] !== undefined);
  if (first === undefined) return [required(path, "must specify a handler type")];
  return [
    ...actionIssues(handler, first, childPath(path, first)),
    ...others.map((name) => forbidden(childPath(path, name), "may not specify more than 1 handler type")),
  ];
}

function actionIssues(handler: Handler, name: (typeof handlers)[number], path: string): readonly FieldIssue[] {
  switch (name) {
    case "exec":
      return unless((handler.exec?.command ?? []).length > 0, () => required(childPath(path, "command")));
    case "httpGet":
      return httpIssues(handler.httpGet ?? { port: 0 }, path);
    case "tcpSocket":
      return portIssues(handler.tcpSocket?.port ?? 0, childPath(path, "port"));
    case "grpc":
      return portNumberIssues(childPath(path, "port"), handler.grpc?.port ?? 0);
    case "sleep":
      return [];
    default:
      throw new Error(`unknown handler ${name satisfies never}`);
  }
}

function httpIssues(action: NonNullable<Handler["httpGet"]>, path: string): readonly FieldIssue[] {
  const schemes = ["HTTP", "HTTPS"];
  const { path: urlPath = "", scheme = "" } = action;
  return [
    ...unless(urlPath !== "", () => required(childPath(path, "path"))),
    ...portIssues(action.port, childPath(path, "port")),
    ...unless(schemes.includes(scheme), () => notSupported(childPath(path, "scheme"), scheme, schemes)),
  ];
}

function portIssues(port: number | string, path: string): readonly FieldIssue[] {
  if (typeof port === "number") return portNumberIssues(path, port);
  return portNameFaults(port).map((fault) => invalid(path, port, fault));
}
