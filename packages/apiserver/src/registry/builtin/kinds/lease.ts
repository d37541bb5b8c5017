import { type FieldIssue, forbidden, invalid, notSupported } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { qualifiedName } from "@milo-quota/kubernetes/protocol/names.ts";
import { builtinKind } from "../builtin-kind.ts";
import { ageColumn, nameColumn, textColumn, typed } from "../columns.ts";
import { issueUnless, nameRuleIssues } from "../field-checks.ts";
import { nestedObject } from "../typed/draft.ts";
import type { DraftObject } from "../typed/go-round-trip.ts";

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
  onCreate: clearCoordinatedElection,
  onUpdate: clearCoordinatedElection,
  validate: ({ spec }) => specIssues(spec),
});

/** Coordinated leader election is behind a feature gate that is off here. */
function clearCoordinatedElection(draft: DraftObject): void {
  const spec = nestedObject(draft, "spec") ?? {};
  delete spec["strategy"];
  delete spec["preferredHolder"];
}

function specIssues(spec: Lease["spec"]): readonly FieldIssue[] {
  const { leaseDurationSeconds = 1, leaseTransitions = 0, strategy, preferredHolder = "" } = spec;
  return [
    ...issueUnless(leaseDurationSeconds > 0, () =>
      invalid("spec.leaseDurationSeconds", leaseDurationSeconds, "must be greater than 0"),
    ),
    ...issueUnless(leaseTransitions >= 0, () =>
      invalid("spec.leaseTransitions", leaseTransitions, "must be greater than or equal to 0"),
    ),
    ...(strategy === undefined ? [] : strategyIssues(strategy)),
    ...issueUnless(preferredHolder === "" || Boolean(strategy), () =>
      forbidden("spec.preferredHolder", "may only be specified if `strategy` is defined"),
    ),
  ];
}

/** A custom strategy must have a domain prefix. */
function strategyIssues(strategy: string): readonly FieldIssue[] {
  const path = "spec.strategy.strategy";
  if (strategy.includes("/")) return nameRuleIssues(path, strategy, qualifiedName);
  return issueUnless(strategy === oldestVersion, () => notSupported(path, strategy, [oldestVersion]));
}
