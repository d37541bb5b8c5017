import { type Condition, findCondition } from "@milo-quota/kubernetes/protocol/condition.ts";
import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { parseTime } from "@milo-quota/kubernetes/protocol/time.ts";
import type { ClaimCreationPolicy } from "../../core/resources/claim-creation-policy.ts";
import { amountOf } from "../../core/resources/fields/amount.ts";
import type { GrantCreationPolicy } from "../../core/resources/grant-creation-policy.ts";
import type { ResourceRegistration } from "../../core/resources/resource-registration.ts";
import { shortName, typeWithName } from "../../core/resources/rules/display-names.ts";
import { kindAndName } from "../consumer-filter.ts";
import type { LedgerObjects } from "../recount/recounted-consumers.ts";
import { registrationInfo } from "../resource-type-info.ts";
import type { Units } from "../units.ts";
import { type Finding, findingsFor, problem, warning } from "./finding.ts";

/** All quota objects that the user can read, from all control planes. */
export interface QuotaSnapshot extends LedgerObjects {
  readonly registrations: readonly ResourceRegistration[];
  readonly grantPolicies: readonly GrantCreationPolicy[];
  readonly claimPolicies: readonly ClaimCreationPolicy[];
  readonly units: Units;
  readonly nowMs: number;
  /** The checks whose objects the user lacks permission to list in at least one control plane. */
  readonly forbidden: ReadonlySet<string>;
  /** Whether all control planes were read in full. Only then does an object not exist if it is not in the snapshot. */
  readonly isComplete: boolean;
}

/** Reasons of the conditions that objects have before a controller reconciles them. */
const initialReasons: readonly string[] = ["GrantPending", "RegistrationPending"];

type Fault = Omit<Finding, "check">;

/** A decision takes milliseconds, so a claim this old is stuck. */
const pendingMsMax = 60_000;
/** Controllers reconcile new objects within moments. */
const unreconciledMsMax = 30_000;

export function quotaChecks(snapshot: QuotaSnapshot): readonly Finding[] {
  const { registrations, grantPolicies, claimPolicies, grants, claims, ledgerBuckets } = snapshot;
  const policies = [...grantPolicies, ...claimPolicies];
  const found = (check: string, faults: readonly Fault[], okMessage: string) =>
    permittedFindings(snapshot, check, faults, okMessage);
  return [
    ...found(
      "registrations",
      [...registrations.flatMap((each) => registrationFaults(each, snapshot)), ...unregistered(snapshot)],
      `${registrations.length} active, ${seesAllGrants(snapshot) ? "each with a grant" : "not checked for grants, because you cannot see all of them"}`,
    ),
    ...found(
      "policies",
      [
        ...grantPolicies.flatMap((policy) => policyFaults("GrantCreationPolicy", policy, snapshot)),
        ...claimPolicies.flatMap((policy) => policyFaults("ClaimCreationPolicy", policy, snapshot)),
      ],
      `${policies.length} ready`,
    ),
    ...found(
      "grants",
      grants.flatMap((grant) => grantFaults(grant, snapshot)),
      `${grants.length} active`,
    ),
    ...found(
      "claims",
      claims.flatMap((claim) => claimFaults(claim, snapshot)),
      `${claims.length} decided`,
    ),
    ...found(
      "buckets",
      ledgerBuckets.flatMap((bucket) => bucketFaults(bucket, snapshot)),
      `${ledgerBuckets.length} within their limits`,
    ),
  ];
}

/** Adds a warning if some objects of the check could not be listed. */
function permittedFindings(
  { forbidden }: QuotaSnapshot,
  check: string,
  faults: readonly Fault[],
  okMessage: string,
): readonly Finding[] {
  if (!forbidden.has(check)) return findingsFor(check, faults, okMessage);
  const skipped = warning(`you lack permission to list some ${check}, which were not checked`);
  return findingsFor(check, [...faults, skipped], okMessage);
}

function seesAllGrants({ isComplete, forbidden }: QuotaSnapshot): boolean {
  return isComplete && !forbidden.has("grants");
}

function registrationFaults(registration: ResourceRegistration, snapshot: QuotaSnapshot): readonly Fault[] {
  const { metadata, resourceType } = registration;
  const info = { name: metadata.name ?? "", resourceType, ...registrationInfo(registration) };
  return faultsOfRegistration(registration, snapshot).map((fault) => ({ ...fault, registration: info }));
}

function faultsOfRegistration(registration: ResourceRegistration, snapshot: QuotaSnapshot): readonly Fault[] {
  const { metadata, resourceType, status } = registration;
  const subject = registrationText(registration);
  const inactive = conditionFault(subject, metadata, {
    condition: findCondition(status.conditions, "Active"),
    nowMs: snapshot.nowMs,
  });
  if (inactive !== undefined) return [inactive];
  if (!seesAllGrants(snapshot)) return [];
  const isGranted = snapshot.grants.some(({ allowances }) =>
    allowances.some((allowance) => allowance.resourceType === resourceType),
  );
  const advice = "Claims for it are denied. Create a ResourceGrant or a GrantCreationPolicy.";
  return isGranted ? [] : [warning(`no grant for ${resourceType} (${subject})`, advice)];
}

/** `ResourceRegistration secrets "Secrets" of vault`: name, display name and owner. */
function registrationText({ metadata, displayName, owner }: ResourceRegistration): string {
  const quotedName = displayName === "" ? "" : ` ${quote(shortName(displayName))}`;
  return `ResourceRegistration ${metadata.name}${quotedName}${owner === "" ? "" : ` of ${owner}`}`;
}

/** Grants of types without a registration have no effect. */
function unregistered({ grants, units, forbidden }: QuotaSnapshot): readonly Fault[] {
  if (forbidden.has("registrations")) return [];
  const types = new Set(grants.flatMap(({ allowances }) => allowances.map(({ resourceType }) => resourceType)));
  return [...types]
    .filter((type) => units.byResourceType(type).length === 0)
    .map((type) => problem(`${type} is granted but not registered`, "Create a ResourceRegistration for it."));
}

function policyFaults(
  kind: string,
  { metadata, enabled, status }: ClaimCreationPolicy | GrantCreationPolicy,
  { nowMs }: QuotaSnapshot,
): readonly Fault[] {
  if (!enabled) return [warning(`${kind} ${metadata.name} is disabled`)];
  const types = kind === "GrantCreationPolicy" ? ["Ready", "ParentContextReady"] : ["Ready"];
  const faults = types.flatMap((type) => {
    const condition = findCondition(status.conditions, type);
    if (type !== "Ready" && condition === undefined) return [];
    return conditionFault(`${kind} ${metadata.name}`, metadata, { condition, nowMs }) ?? [];
  });
  const [enforced, checked] = ["Enforced", "TypeChecked"].map((type) => findCondition(status.conditions, type));
  return [
    ...faults.map((fault) => ({ ...(enforced === undefined ? {} : { advice: `${enforced.message}.` }), ...fault })),
    ...(checked?.status === "False" ? [warning(`${kind} ${metadata.name}: ${checked.message}`, typeAdvice)] : []),
  ];
}

const typeAdvice =
  "A condition on a field that does not exist is false, so the policy may count nothing. Correct the field.";

function grantFaults(
  { metadata, status, consumer }: QuotaSnapshot["grants"][number],
  { nowMs }: QuotaSnapshot,
): readonly Fault[] {
  const subject = `ResourceGrant ${metadata.namespace}/${metadata.name} (${kindAndName(consumer)})`;
  const condition = findCondition(status.conditions, "Active");
  if (condition?.reason === "GrantExpired") return [warning(`${subject} has expired`)];
  return [conditionFault(subject, metadata, { condition, nowMs }) ?? []].flat();
}

function claimFaults(
  { metadata, decision, status }: QuotaSnapshot["claims"][number],
  { nowMs }: QuotaSnapshot,
): readonly Fault[] {
  const subject = `ResourceClaim ${metadata.namespace}/${metadata.name}`;
  if (decision.state === "invalid") {
    return [warning(`${subject} cannot be decided: ${findCondition(status.conditions, "Granted")?.message ?? ""}`)];
  }
  if (decision.state !== "pending" || ageMs(metadata, nowMs) < pendingMsMax) return [];
  const advice = "Claims are not being decided: check that the quota system runs, and its log.";
  return [problem(`${subject} has been pending since ${metadata.creationTimestamp}`, advice)];
}

function bucketFaults(
  { consumer, resourceType, status }: QuotaSnapshot["ledgerBuckets"][number],
  { units }: QuotaSnapshot,
): readonly Fault[] {
  const overage = amountOf(status?.overage ?? 0);
  if (overage === 0n) return [];
  const message = `${kindAndName(consumer)} is over its limit of ${typeWithName(units, resourceType)} by ${units.text(overage, resourceType)}`;
  return [warning(message, "New claims are denied until usage falls below the limit or the limit is raised.")];
}

/** A condition that is not true, or that no controller has set yet. */
function conditionFault(
  subject: string,
  metadata: ObjectMeta,
  { condition, nowMs }: { readonly condition: Condition | undefined; readonly nowMs: number },
): Fault | undefined {
  if (condition === undefined || initialReasons.includes(condition.reason)) {
    if (ageMs(metadata, nowMs) < unreconciledMsMax) return undefined;
    return problem(
      `${subject} has not been reconciled`,
      "The controllers are not running: check that the quota system runs, and its log.",
    );
  }
  return condition.status === "True" ? undefined : problem(`${subject}: ${condition.reason}: ${condition.message}`);
}

function ageMs({ creationTimestamp }: ObjectMeta, nowMs: number): number {
  return nowMs - (parseTime(creationTimestamp ?? "") ?? nowMs);
}
