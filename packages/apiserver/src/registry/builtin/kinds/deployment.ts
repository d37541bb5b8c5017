import { formatSelector, parseLabelSelector } from "@milo-quota/kubernetes/protocol/selectors/label-selector.ts";
import { builtinKind } from "../builtin-kind.ts";
import { ageColumn, nameColumn, textColumn, typed, wideColumn } from "../columns.ts";
import { ensureNestedObject, setDefault } from "../typed/draft.ts";
import type { DraftObject } from "../typed/go-round-trip.ts";
import { deploymentIssues } from "./deployment-rules.ts";
import { fillPodSpec } from "./pods/pod-defaults.ts";
import type { Container, Deployment } from "./pods/pod-object.ts";

export const deployment = builtinKind<Deployment>({
  struct: "apps.v1.Deployment",
  group: "apps",
  plural: "deployments",
  shortNames: ["deploy"],
  categories: ["all"],
  scope: "Namespaced",
  hasStatus: true,
  scale: {
    specReplicasPath: ".spec.replicas",
    statusReplicasPath: ".status.replicas",
    selector: (object) => selectorText(object as unknown as Deployment),
  },
  hasGeneration: true,
  columns: [
    nameColumn,
    textColumn(
      "Ready",
      typed<Deployment>(({ spec, status }) => `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`),
    ),
    textColumn(
      "Up-to-date",
      typed<Deployment>(({ status }) => status.updatedReplicas ?? 0),
    ),
    textColumn(
      "Available",
      typed<Deployment>(({ status }) => status.availableReplicas ?? 0),
    ),
    ageColumn,
    wideColumn(
      "Containers",
      typed<Deployment>((object) => containersText(object, ({ name }) => name)),
    ),
    wideColumn(
      "Images",
      typed<Deployment>((object) => containersText(object, ({ image = "" }) => image)),
    ),
    wideColumn("Selector", typed<Deployment>(selectorText)),
  ],
  defaults: fillDeployment,
  validate: deploymentIssues,
});

function fillDeployment(draft: DraftObject): void {
  const spec = ensureNestedObject(draft, "spec");
  spec["replicas"] ??= 1;
  spec["revisionHistoryLimit"] ??= 10;
  spec["progressDeadlineSeconds"] ??= 600;
  const strategy = ensureNestedObject(spec, "strategy");
  setDefault(strategy, "type", "RollingUpdate");
  if (strategy["type"] === "RollingUpdate") {
    const rolling = ensureNestedObject(strategy, "rollingUpdate");
    rolling["maxUnavailable"] ??= "25%";
    rolling["maxSurge"] ??= "25%";
  }
  fillPodSpec(ensureNestedObject(ensureNestedObject(spec, "template"), "spec"));
}

function containersText({ spec }: Deployment, read: (container: Container) => string): string {
  return (spec.template.spec.containers ?? []).map(read).join(",");
}

function selectorText({ spec }: Deployment): string {
  const parsed = parseLabelSelector(spec.selector ?? {}, "");
  return parsed.ok ? formatSelector(parsed.value) : "<invalid>";
}
