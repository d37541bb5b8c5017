import { fallback, inner, innerMade, isUnset, itemsOf } from "../../typed/draft.ts";
import type { Draft, DraftObject } from "../../typed/json-shape.ts";

const containerLists = ["initContainers", "containers", "ephemeralContainers"] as const;
const fileMode = 0o644;
const graceSeconds = 30;
const tokenSeconds = 3_600;

/** What a pod gets when it does not say, in a template too. */
export function fillPodSpec(spec: DraftObject): void {
  fallback(spec, "dnsPolicy", "ClusterFirst");
  fallback(spec, "restartPolicy", "Always");
  spec["securityContext"] ??= {};
  spec["terminationGracePeriodSeconds"] ??= graceSeconds;
  fallback(spec, "schedulerName", "default-scheduler");
  mirrorServiceAccount(spec);
  for (const volume of itemsOf(spec, "volumes")) fillVolume(volume);
  // Only containers that run before the others have one; elsewhere it is forgotten.
  for (const container of itemsOf(spec, "containers")) delete container["restartPolicy"];
  for (const list of containerLists) for (const container of itemsOf(spec, list)) fillContainer(container);
}

/** What only a pod itself gets. */
export function fillPod(draft: DraftObject): void {
  const spec = innerMade(draft, "spec");
  fillPodSpec(spec);
  for (const list of ["initContainers", "containers"] as const) {
    for (const container of itemsOf(spec, list)) {
      fillRequests(container);
      if (spec["hostNetwork"] === true) fillHostPorts(container);
    }
  }
  spec["enableServiceLinks"] ??= true;
}

/** Two names for the same thing; either may be given, both are shown. */
function mirrorServiceAccount(spec: DraftObject): void {
  if (isUnset(spec["serviceAccountName"]) && !isUnset(spec["serviceAccount"])) {
    spec["serviceAccountName"] = spec["serviceAccount"] as string;
  }
  if (!isUnset(spec["serviceAccountName"])) spec["serviceAccount"] = spec["serviceAccountName"] as string;
}

function fillVolume(volume: DraftObject): void {
  if (Object.keys(volume).every((key) => key === "name")) volume["emptyDir"] = {};
  for (const source of ["secret", "configMap", "downwardAPI", "projected"]) {
    const given = inner(volume, source);
    if (given !== undefined) given["defaultMode"] ??= fileMode;
  }
  const hostPath = inner(volume, "hostPath");
  if (hostPath !== undefined) hostPath["type"] ??= "";
  fillFieldRefs(inner(volume, "downwardAPI"));
  for (const source of itemsOf(inner(volume, "projected"), "sources")) {
    fillFieldRefs(inner(source, "downwardAPI"));
    const token = inner(source, "serviceAccountToken");
    if (token !== undefined) token["expirationSeconds"] ??= tokenSeconds;
  }
  const claim = inner(inner(inner(volume, "ephemeral") ?? {}, "volumeClaimTemplate") ?? {}, "spec");
  fallback(claim, "volumeMode", "Filesystem");
}

function fillFieldRefs(source: DraftObject | undefined): void {
  for (const item of itemsOf(source, "items")) fallback(inner(item, "fieldRef"), "apiVersion", "v1");
}

function fillContainer(container: DraftObject): void {
  fallback(container, "imagePullPolicy", isLatest(container["image"]) ? "Always" : "IfNotPresent");
  fallback(container, "terminationMessagePath", "/dev/termination-log");
  fallback(container, "terminationMessagePolicy", "File");
  for (const port of itemsOf(container, "ports")) fallback(port, "protocol", "TCP");
  for (const variable of itemsOf(container, "env")) {
    fallback(inner(inner(variable, "valueFrom") ?? {}, "fieldRef"), "apiVersion", "v1");
  }
  for (const name of ["livenessProbe", "readinessProbe", "startupProbe"]) fillProbe(inner(container, name));
  const lifecycle = inner(container, "lifecycle") ?? {};
  for (const hook of ["postStart", "preStop"]) fillHandler(inner(lifecycle, hook));
}

const imageName =
  /^(?:[A-Za-z0-9][A-Za-z0-9.-]*(?::\d+)?\/)?[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*(:\w[\w.-]*)?(@[A-Za-z][\w+.-]*:[0-9a-fA-F]{32,})?$/;

/** An image without a tag or digest is the latest one; one that cannot be read counts as pinned. */
function isLatest(image: Draft | undefined): boolean {
  const found = imageName.exec(typeof image === "string" ? image : "");
  if (found === null) return false;
  const [, tag, digest] = found;
  return tag === undefined ? digest === undefined : tag === ":latest";
}

function fillProbe(probe: DraftObject | undefined): void {
  if (probe === undefined) return;
  probe["timeoutSeconds"] ??= 1;
  probe["periodSeconds"] ??= 10;
  probe["successThreshold"] ??= 1;
  probe["failureThreshold"] ??= 3;
  fillHandler(probe);
}

function fillHandler(handler: DraftObject | undefined): void {
  if (handler === undefined) return;
  fallback(inner(handler, "httpGet"), "path", "/");
  fallback(inner(handler, "httpGet"), "scheme", "HTTP");
  const grpc = inner(handler, "grpc");
  if (grpc !== undefined) grpc["service"] ??= "";
}

/** Who sets only a limit asks for that much. */
function fillRequests(container: DraftObject): void {
  const resources = innerMade(container, "resources");
  const limits = inner(resources, "limits");
  if (limits === undefined) return;
  const requests = innerMade(resources, "requests");
  for (const [name, amount] of Object.entries(limits)) requests[name] ??= amount;
}

function fillHostPorts(container: DraftObject): void {
  for (const port of itemsOf(container, "ports")) {
    if (!port["hostPort"]) port["hostPort"] = port["containerPort"] ?? 0;
  }
}
