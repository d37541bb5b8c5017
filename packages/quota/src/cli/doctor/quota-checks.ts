import { type Condition, findCondition } from "@milo-quota/kubernetes/protocol/condition.ts";
import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { parseTime } from "@milo-quota/kubernetes/protocol/time.ts";
import type { ClaimCreationPolicy } from "../../core/resources/claim-creation-policy.ts";
import { amountOf } from "../../core/resources/fields/amount.ts";
import type { GrantCreationPolicy } from "../../core/resources/grant-creation-policy.ts";
import type { ResourceRegistration } from "../../core/resources/resource-registration.ts";
import { shortConsumer } from "../consumer-filter.ts";
import type { CountedObjects } from "../recount/consumer-books.ts";
import { namesIn, shownName, typeText } from "../registered-names.ts";
import type { Units } from "../units.ts";
import { type Finding, findingsFor, problem, warning } from "./finding.ts";

/** Everything that was read, from all control planes. */
export interface Examined extends CountedObjects {
  readonly registrations: readonly ResourceRegistration[];
  readonly grantPolicies: readonly GrantCreationPolicy[];
  readonly claimPolicies: readonly ClaimCreationPolicy[];
  readonly units: Units;
  readonly nowMs: number;
  /** Checks whose objects nobody here may list, in one control plane at least. */
  readonly hidden: ReadonlySet<string>;
  /** Whether every control plane was seen as a whole: then what was not seen is not there. */
  readonly isAll: boolean;
}

/** What objects say that nobody has looked at. */
const bornReasons: readonly string[] = ["GrantPending", "RegistrationPending"];

type Fault = Omit<Finding, "check">;

/** A decision takes milliseconds; whoever waits this long waits for something that does not come. */
const pendingMsMax = 60_000;
/** Controllers look at what is new within moments. */
const unseenMsMax = 30_000;

export function quotaChecks(examined: Examined): readonly Finding[] {
  const { registrations, grantPolicies, claimPolicies, grants, claims, pages } = examined;
  const policies = [...grantPolicies, ...claimPolicies];
  const found = (check: string, faults: readonly Fault[], fine: string) => findingsSeen(examined, check, faults, fine);
  return [
    ...found(
      "registrations",
      [...registrations.flatMap((each) => registrationFaults(each, examined)), ...unregistered(examined)],
      `${registrations.length} active, ${knowsGrants(examined) ? "each granted to somebody" : "granted to whom is not seen from here"}`,
    ),
    ...found(
      "policies",
      [
        ...grantPolicies.flatMap((policy) => policyFaults("GrantCreationPolicy", policy, examined)),
        ...claimPolicies.flatMap((policy) => policyFaults("ClaimCreationPolicy", policy, examined)),
      ],
      `${policies.length} ready`,
    ),
    ...found(
      "grants",
      grants.flatMap((grant) => grantFaults(grant, examined)),
      `${grants.length} active`,
    ),
    ...found(
      "claims",
      claims.flatMap((claim) => claimFaults(claim, examined)),
      `${claims.length} decided`,
    ),
    ...found(
      "buckets",
      pages.flatMap((page) => bucketFaults(page, examined)),
      `${pages.length} within their limits`,
    ),
  ];
}

/** What was seen is told; what may not be seen is not called well. */
function findingsSeen({ hidden }: Examined, check: string, faults: readonly Fault[], fine: string): readonly Finding[] {
  if (!hidden.has(check)) return findingsFor(check, faults, fine);
  return findingsFor(check, [...faults, warning(`you may not read all ${check}: those are not looked at`)], fine);
}

function knowsGrants({ isAll, hidden }: Examined): boolean {
  return isAll && !hidden.has("grants");
}

function registrationFaults(registration: ResourceRegistration, examined: Examined): readonly Fault[] {
  const { metadata, resourceType } = registration;
  const about = { name: metadata.name ?? "", resourceType, ...namesIn(registration) };
  return faultsOfRegistration(registration, examined).map((fault) => ({ ...fault, registration: about }));
}

function faultsOfRegistration(registration: ResourceRegistration, examined: Examined): readonly Fault[] {
  const { metadata, resourceType, status } = registration;
  const subject = registrationText(registration);
  const inactive = conditionFault(subject, metadata, {
    condition: findCondition(status.conditions, "Active"),
    nowMs: examined.nowMs,
  });
  if (inactive !== undefined) return [inactive];
  if (!knowsGrants(examined)) return [];
  const isGranted = examined.grants.some(({ allowances }) =>
    allowances.some((allowance) => allowance.resourceType === resourceType),
  );
  const advice = "Whoever claims it is denied. Grant it, or write a GrantCreationPolicy.";
  return isGranted ? [] : [warning(`nobody is granted ${resourceType} (${subject})`, advice)];
}

/** `ResourceRegistration secrets "Secrets" of vault`: its name, what people call it, and whose it is. */
function registrationText({ metadata, displayName, owner }: ResourceRegistration): string {
  const called = displayName === "" ? "" : ` ${quote(shownName(displayName))}`;
  return `ResourceRegistration ${metadata.name}${called}${owner === "" ? "" : ` of ${owner}`}`;
}

/** What is granted or claimed and was never registered counts for nothing. */
function unregistered({ grants, units, hidden }: Examined): readonly Fault[] {
  if (hidden.has("registrations")) return [];
  const types = new Set(grants.flatMap(({ allowances }) => allowances.map(({ resourceType }) => resourceType)));
  return [...types]
    .filter((type) => units.byResourceType(type).length === 0)
    .map((type) => problem(`${type} is granted, but nobody registered it`, "Create a ResourceRegistration for it."));
}

function policyFaults(
  kind: string,
  { metadata, enabled, status }: ClaimCreationPolicy | GrantCreationPolicy,
  { nowMs }: Examined,
): readonly Fault[] {
  if (!enabled) return [warning(`${kind} ${metadata.name} is switched off`)];
  const types = kind === "GrantCreationPolicy" ? ["Ready", "ParentContextReady"] : ["Ready"];
  return types.flatMap((type) => {
    const condition = findCondition(status.conditions, type);
    if (type !== "Ready" && condition === undefined) return [];
    return conditionFault(`${kind} ${metadata.name}`, metadata, { condition, nowMs }) ?? [];
  });
}

function grantFaults(
  { metadata, status, consumer }: Examined["grants"][number],
  { nowMs }: Examined,
): readonly Fault[] {
  const subject = `ResourceGrant ${metadata.namespace}/${metadata.name} (${shortConsumer(consumer)})`;
  const condition = findCondition(status.conditions, "Active");
  if (condition?.reason === "GrantExpired") return [warning(`${subject} has expired, and gives nothing any more`)];
  return [conditionFault(subject, metadata, { condition, nowMs }) ?? []].flat();
}

function claimFaults({ metadata, answer, status }: Examined["claims"][number], { nowMs }: Examined): readonly Fault[] {
  const subject = `ResourceClaim ${metadata.namespace}/${metadata.name}`;
  if (answer.state === "invalid") {
    return [warning(`${subject} cannot be decided: ${findCondition(status.conditions, "Granted")?.message ?? ""}`)];
  }
  if (answer.state !== "pending" || ageMs(metadata, nowMs) < pendingMsMax) return [];
  const advice = "Nobody decides claims: see that the quota system runs, and read its log.";
  return [problem(`${subject} waits for a decision since ${metadata.creationTimestamp}`, advice)];
}

function bucketFaults(
  { consumer, resourceType, status }: Examined["pages"][number],
  { units }: Examined,
): readonly Fault[] {
  const overage = amountOf(status?.overage ?? 0);
  if (overage === 0n) return [];
  const message = `${shortConsumer(consumer)} uses ${units.text(overage, resourceType)} of ${typeText(units, resourceType)} more than its limit`;
  return [warning(message, "Nothing more is admitted until use falls below the limit, or more is granted.")];
}

/** A condition that does not hold, or that nobody has looked at. */
function conditionFault(
  subject: string,
  metadata: ObjectMeta,
  { condition, nowMs }: { readonly condition: Condition | undefined; readonly nowMs: number },
): Fault | undefined {
  if (condition === undefined || bornReasons.includes(condition.reason)) {
    if (ageMs(metadata, nowMs) < unseenMsMax) return undefined;
    return problem(
      `${subject} was never looked at`,
      "The controllers are not at work: see that the quota system runs.",
    );
  }
  return condition.status === "True" ? undefined : problem(`${subject}: ${condition.reason}: ${condition.message}`);
}

function ageMs({ creationTimestamp }: ObjectMeta, nowMs: number): number {
  return nowMs - (parseTime(creationTimestamp ?? "") ?? nowMs);
}
