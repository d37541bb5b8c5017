import { type FieldIssue, forbidden, invalid, notSupported } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { qualifiedName } from "@milo-quota/kubernetes/protocol/names.ts";
import { builtinKind } from "../builtin-kind.ts";
import { ageColumn, nameColumn, textColumn, typed } from "../columns.ts";
import { nameFaults, unless } from "../field-checks.ts";
import { inner } from "../typed/draft.ts";
import type { DraftObject } from "../typed/json-shape.ts";

interface Lease {
  readonly spec: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly leaseTransitions?: number;
    readonly strategy?: string;
    readonly preferredHolder?: string;
  };
}

const oldestVersion = "OldestEmulationVersion";

export const lease = builtinKind<Lease>({
  struct: "coordination.v1.Lease",
  group: "coordination.k8s.io",
  plural: "leases",
  scope: "Namespaced",
  updatesUnconditionally: false,
  createsOnUpdate: true,
  columns: [
    nameColumn,
    textColumn(
      "Holder",
      typed<Lease>(({ spec }) => spec.holderIdentity ?? ""),
    ),
    ageColumn,
  ],
  onCreate: forgetElection,
  onUpdate: forgetElection,
  validate: ({ spec }) => specIssues(spec),
});

/** Coordinated elections are a feature that is off unless somebody turns it on, and nobody can here. */
function forgetElection(draft: DraftObject): void {
  const spec = inner(draft, "spec") ?? {};
  delete spec["strategy"];
  delete spec["preferredHolder"];
}

function specIssues(spec: Lease["spec"]): readonly FieldIssue[] {
  const { leaseDurationSeconds = 1, leaseTransitions = 0, strategy, preferredHolder = "" } = spec;
  return [
    ...unless(leaseDurationSeconds > 0, () =>
      invalid("spec.leaseDurationSeconds", leaseDurationSeconds, "must be greater than 0"),
    ),
    ...unless(leaseTransitions >= 0, () =>
      invalid("spec.leaseTransitions", leaseTransitions, "must be greater than or equal to 0"),
    ),
    ...(strategy === undefined ? [] : strategyIssues(strategy)),
    ...unless(preferredHolder === "" || Boolean(strategy), () =>
      forbidden("spec.preferredHolder", "may only be specified if `strategy` is defined"),
    ),
  ];
}

/** A strategy of somebody's own has their domain before it. */
function strategyIssues(strategy: string): readonly FieldIssue[] {
  const path = "spec.strategy.strategy";
  if (strategy.includes("/")) return nameFaults(path, strategy, qualifiedName);
  return unless(strategy === oldestVersion, () => notSupported(path, strategy, [oldestVersion]));
}
