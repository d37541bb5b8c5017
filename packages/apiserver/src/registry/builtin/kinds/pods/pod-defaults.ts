import { ensureNestedObject, isUnset, itemsOf, nestedObject, setDefault } from "../../typed/draft.ts";
import type { Draft, DraftObject } from "../../typed/go-round-trip.ts";

const containerLists = ["initContainers", "containers", "ephemeralContainers"] as const;
const fileMode = 0o644;
const graceSeconds = 30;
const tokenSeconds = 3_600;

/** Defaults of a pod spec, also in templates. */
export function fillPodSpec(spec: DraftObject): void {
  setDefault(spec, "dnsPolicy", "ClusterFirst");
  setDefault(spec, "restartPolicy", "Always");
  spec["securityContext"] ??= {};
  spec["terminationGracePeriodSeconds"] ??= graceSeconds;
  setDefault(spec, "schedulerName", "default-scheduler");
  mirrorServiceAccount(spec);
  for (const volume of itemsOf(spec, "volumes")) fillVolume(volume);
  // Only init containers have a restart policy.
  for (const container of itemsOf(spec, "containers")) delete container["restartPolicy"];
  for (const list of containerLists) for (const container of itemsOf(spec, list)) fillContainer(container);
}

/** Defaults of a pod itself. */
export function fillPod(draft: DraftObject): void {
  const spec = ensureNestedObject(draft, "spec");
  fillPodSpec(spec);
  for (const list of ["initContainers", "containers"] as const) {
    for (const container of itemsOf(spec, list)) {
      fillRequests(container);
      if (spec["hostNetwork"] === true) fillHostPorts(container);
    }
  }
  spec["enableServiceLinks"] ??= true;
}

/** Two fields for the same value; either may be given, both are shown. */
function mirrorServiceAccount(spec: DraftObject): void {
  if (isUnset(spec["serviceAccountName"]) && !isUnset(spec["serviceAccount"])) {
    spec["serviceAccountName"] = spec["serviceAccount"] as string;
  }
  if (!isUnset(spec["serviceAccountName"])) spec["serviceAccount"] = spec["serviceAccountName"] as string;
}

function fillVolume(volume: DraftObject): void {
  if (Object.keys(volume).every((key) => key === "name")) volume["emptyDir"] = {};
  for (const source of ["secret", "configMap", "downwardAPI", "projected"]) {
    const given = nestedObject(volume, source);
    if (given !== undefined) given["defaultMode"] ??= fileMode;
  }
  const hostPath = nestedObject(volume, "hostPath");
  if (hostPath !== undefined) hostPath["type"] ??= "";
  fillFieldRefs(nestedObject(volume, "downwardAPI"));
  for (const source of itemsOf(nestedObject(volume, "projected"), "sources")) {
    fillFieldRefs(nestedObject(source, "downwardAPI"));
    const token = nestedObject(source, "serviceAccountToken");
    if (token !== undefined) token["expirationSeconds"] ??= tokenSeconds;
  }
  const claim = nestedObject(
    nestedObject(nestedObject(volume, "ephemeral") ?? {}, "volumeClaimTemplate") ?? {},
    "spec",
  );
  setDefault(claim, "volumeMode", "Filesystem");
}

function fillFieldRefs(source: DraftObject | undefined): void {
  for (const item of itemsOf(source, "items")) setDefault(nestedObject(item, "fieldRef"), "apiVersion", "v1");
}

function fillContainer(container: DraftObject): void {
  setDefault(container, "imagePullPolicy", isLatest(container["image"]) ? "Always" : "IfNotPresent");
  setDefault(container, "terminationMessagePath", "/dev/termination-log");
  setDefault(container, "terminationMessagePolicy", "File");
  for (const port of itemsOf(container, "ports")) setDefault(port, "protocol", "TCP");
  for (const variable of itemsOf(container, "env")) {
    setDefault(nestedObject(nestedObject(variable, "valueFrom") ?? {}, "fieldRef"), "apiVersion", "v1");
  }
  for (const name of ["livenessProbe", "readinessProbe", "startupProbe"]) fillProbe(nestedObject(container, name));
  const lifecycle = nestedObject(container, "lifecycle") ?? {};
  for (const hook of ["postStart", "preStop"]) fillHandler(nestedObject(lifecycle, hook));
}

const imageName =
  /^(?:[A-Za-z0-9][A-Za-z0-9.-]*(?::\d+)?\/)?[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*(:\w[\w.-]*)?(@[A-Za-z][\w+.-]*:[0-9a-fA-F]{32,})?$/;

/** An image without a tag or digest is `latest`; an unparsable one counts as pinned. */
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
  setDefault(nestedObject(handler, "httpGet"), "path", "/");
  setDefault(nestedObject(handler, "httpGet"), "scheme", "HTTP");
  const grpc = nestedObject(handler, "grpc");
  if (grpc !== undefined) grpc["service"] ??= "";
}

/** Requests default to limits. */
function fillRequests(container: DraftObject): void {
  const resources = ensureNestedObject(container, "resources");
  const limits = nestedObject(resources, "limits");
  if (limits === undefined) return;
  const requests = ensureNestedObject(resources, "requests");
  for (const [name, amount] of Object.entries(limits)) requests[name] ??= amount;
}

function fillHostPorts(container: DraftObject): void {
  for (const port of itemsOf(container, "ports")) {
    if (!port["hostPort"]) port["hostPort"] = port["containerPort"] ?? 0;
  }
}
