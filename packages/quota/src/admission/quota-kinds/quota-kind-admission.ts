import { invalidObject, resourceForbidden } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { type FieldIssue, issueText } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { type JsonObject, jsonEquals } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";
import { parseResourceRegistration } from "../../core/resources/resource-registration.ts";
import type { RegistrationView } from "../../core/resources/rules/registration-rules.ts";
import { annotations, bucketFinalizers, quotaGroup } from "../../core/resources/well-known.ts";
import type { ControlPlanes } from "../../views/control-planes.ts";
import { allowed, type ObjectChange, type ObjectRemoval, type Verdict } from "../object-change.ts";
import { withPendingAsActive } from "../policies/pending-registrations.ts";
import { managedGrantWarning } from "./managed-grant.ts";
import { checkPolicyTypes, hasTypes, type PolicyTypeCheckDeps } from "./policy-type-check.ts";
import { type CountClaims, endOfEnforcement } from "./policy-warnings.ts";
import { type QuotaKindIssues, quotaKindRules } from "./quota-kind-rules.ts";
import { deletionWarning, type EnforcedPolicy, removedKindIssues } from "./registration-use.ts";
import { reservedMetadataIssues } from "./reserved-metadata.ts";
import type { ConsumerRights } from "./rights/consumer-rights.ts";

export interface QuotaKindAdmissionOptions {
  readonly planes: ControlPlanes;
  readonly registrations: RegistrationView;
  /** Lists the registrations from the API server. Read before a rejection or warning, because the view may lag behind. */
  readonly readRegistrations: (signal: AbortSignal) => Promise<RegistrationView>;
  /** Whether the namespace of the object is terminating. */
  readonly isNamespaceTerminating: (removal: ObjectRemoval, signal: AbortSignal) => Promise<boolean>;
  readonly countClaims: CountClaims;
  /** The claim policies that are enforced in any control plane. */
  readonly enforcedPolicies: () => Iterable<EnforcedPolicy>;
  readonly types: PolicyTypeCheckDeps;
  /** The users that the quota system itself writes as. */
  readonly systemUsers: readonly string[];
  readonly consumerRights: Pick<ConsumerRights, "rejectionOf">;
  /**
   * Whether a request comes from the bucket writer of this process. Given when this is the only writer, whose decisions
   * rely on the bucket status being written by no other client. Omitted when several processes may write, each on the
   * version that it read.
   */
  readonly isBucketWriter?: ((user: UserInfo) => boolean) | undefined;
}

/** Kinds that only the system writes. */
const systemKinds: readonly string[] = ["AllowanceBucket", "EffectiveResourceGrant"];
const mastersGroup = "system:masters";
/** The namespace controller and the garbage collector of a cluster delete objects as members of this group. */
const clusterGroup = "system:serviceaccounts:kube-system";
const clusterUsers: readonly string[] = ["system:apiserver", "system:kube-controller-manager"];
const deletedBySystem =
  "only the quota system deletes it, once no grant or claim refers to it: delete those grants and claims instead";
const onlySystem = "only the quota system writes it, from grants and claims";
const onlyThisServer = `${onlySystem}. To recount a bucket, run milo-quota recount --fix, or set its annotation ${annotations.recount}`;

/** Admission for objects of the quota API: the rules that a schema cannot express, and permissions beyond RBAC. */
export class QuotaKindAdmission {
  readonly #options: QuotaKindAdmissionOptions;

  constructor(options: QuotaKindAdmissionOptions) {
    this.#options = options;
  }

  async decide(change: ObjectChange, signal: AbortSignal): Promise<Verdict> {
    if (systemKinds.includes(change.kind.kind)) return this.#decideSystemKind(change);
    // RBAC alone decides who may write the status.
    if (change.subresource !== "") return allowed;
    const reserved = change.kind.kind === "ResourceClaim" ? this.#reservedMetadataIssues(change) : [];
    const { inObject: own, inReferences } = await this.#issues(change, signal);
    const inObject = own.length > 0 ? own : await this.#typeIssues(change, signal);
    const isRequest = change.kind.kind === "ResourceClaim" && change.operation === "CREATE";
    const issues = [...reserved, ...inObject, ...this.#removedKinds(change), ...(isRequest ? inReferences : [])];
    if (issues.length > 0) return rejected(change, issues);
    const forbidden = this.#isSystem(change.userInfo)
      ? undefined
      : await this.#options.consumerRights.rejectionOf(change, signal);
    if (forbidden !== undefined) return { allowed: false, status: forbidden };
    if (change.oldObject !== undefined) this.#warnOfEnd(change, change.oldObject, change.object);
    if (!isRequest) for (const issue of inReferences) change.warn(`not in effect yet: ${issueText(issue)}`);
    await this.#warnOfPolicy(change, signal);
    return allowed;
  }

  /**
   * A bucket in use would stay terminating because of its finalizer, and kubectl would wait forever. Deletions together with
   * the namespace are allowed, and system:masters may remove the finalizer first.
   */
  async decideRemoval(removal: ObjectRemoval, signal: AbortSignal): Promise<Verdict> {
    const { kind, userInfo: user, name, warn } = removal;
    this.#warnOfEnd(removal, removal.oldObject, undefined);
    this.#warnOfUse(removal);
    if (kind.group === quotaGroup) await this.#warnOfPolicy(removal, signal);
    if (kind.group !== quotaGroup || !systemKinds.includes(kind.kind) || this.#isSystem(user)) return allowed;
    if (isClusterComponent(user) || (await this.#options.isNamespaceTerminating(removal, signal))) return allowed;
    if (user.groups.includes(mastersGroup) && !hasFinalizer(removal)) {
      warn(`${kind.kind} is managed by the quota system, which recreates it while grants or claims refer to it`);
      return allowed;
    }
    return {
      allowed: false,
      status: resourceForbidden({ group: kind.group, resource: kind.plural }, name, deletedBySystem),
    };
  }

  #warnOfEnd({ kind, plane, name, warn }: ObjectChange | ObjectRemoval, old: JsonObject, now: JsonObject | undefined) {
    if (kind.group !== quotaGroup || kind.kind !== "ClaimCreationPolicy") return;
    const warning = endOfEnforcement({ plane, name, old, now }, this.#options.countClaims);
    if (warning !== undefined) warn(warning);
  }

  /** The kinds that an update of a registration removes although enforced policies claim for them. */
  #removedKinds({ kind, object, oldObject }: ObjectChange): readonly FieldIssue[] {
    if (kind.kind !== "ResourceRegistration" || oldObject === undefined) return [];
    const [before, now] = [parseResourceRegistration(oldObject), parseResourceRegistration(object)];
    return before.ok && now.ok ? removedKindIssues(before.value, now.value, this.#options.enforcedPolicies()) : [];
  }

  #warnOfUse({ kind, oldObject, warn }: ObjectRemoval): void {
    if (kind.group !== quotaGroup || kind.kind !== "ResourceRegistration") return;
    const registration = parseResourceRegistration(oldObject);
    const warning = registration.ok && deletionWarning(registration.value, this.#options.enforcedPolicies());
    if (warning) warn(warning);
  }

  #decideSystemKind(change: ObjectChange): Verdict {
    const { userInfo: user, kind, name, warn } = change;
    const { isBucketWriter } = this.#options;
    const resource = { group: kind.group, resource: kind.plural };
    if (isBucketWriter !== undefined && change.subresource === "status" && !isBucketWriter(user)) {
      return { allowed: false, status: resourceForbidden(resource, name, onlyThisServer) };
    }
    if (this.#isSystem(user)) return allowed;
    if (user.groups.includes(mastersGroup)) {
      warn(`${kind.kind} is managed by the quota system, which reverts manual changes`);
      return allowed;
    }
    return { allowed: false, status: resourceForbidden(resource, name, onlySystem) };
  }

  #reservedMetadataIssues({ userInfo: user, object, oldObject, warn }: ObjectChange): readonly FieldIssue[] {
    if (this.#isSystem(user)) return [];
    const issues = reservedMetadataIssues(object, oldObject);
    if (!user.groups.includes(mastersGroup)) return issues;
    for (const issue of issues) warn(`${issueText(issue)}; allowed because you are in ${mastersGroup}`);
    return [];
  }

  /** An update that leaves the spec as it is has no issues, so that finalizers can be removed from an invalid object. */
  async #issues(change: ObjectChange, signal: AbortSignal): Promise<QuotaKindIssues> {
    const { object, oldObject, plane } = change;
    const { kind } = change.kind;
    const rule = quotaKindRules[kind];
    const isSame = oldObject !== undefined && jsonEquals(object["spec"] ?? null, oldObject["spec"] ?? null);
    if (rule === undefined || isSame) return { inObject: [], inReferences: [] };
    const { planes, registrations, readRegistrations } = this.#options;
    const issues = rule(object, oldObject, { plane, planes, registrations });
    if (issues.inReferences.length === 0) return issues;
    const live = await readRegistrations(signal);
    return rule(object, oldObject, {
      plane,
      planes,
      registrations: kind === "ResourceClaim" ? live : withPendingAsActive(live),
    });
  }

  /** Warns of problems with types that do not reject the write. */
  async #typeIssues(change: ObjectChange, signal: AbortSignal): Promise<readonly FieldIssue[]> {
    const { plane, object, oldObject: old, warn } = change;
    const { kind } = change.kind;
    if (!hasTypes(kind)) return [];
    const isSame = old !== undefined && jsonEquals(object["spec"] ?? null, old["spec"] ?? null);
    if (isSame) return [];
    const { issues, warnings } = await checkPolicyTypes({ plane, kind, object, old }, this.#options.types, signal);
    for (const warning of warnings) warn(warning);
    return issues;
  }

  async #warnOfPolicy(request: ObjectChange | ObjectRemoval, signal: AbortSignal): Promise<void> {
    const { kind, userInfo: user, warn } = request;
    if (kind.kind !== "ResourceGrant" || this.#isSystem(user) || isClusterComponent(user)) return;
    const warning = await managedGrantWarning(request, this.#options.planes, signal);
    if (warning !== undefined) warn(warning);
  }

  #isSystem({ username }: UserInfo): boolean {
    return this.#options.systemUsers.includes(username);
  }
}

function isClusterComponent({ username, groups }: UserInfo): boolean {
  return clusterUsers.includes(username) || groups.includes(clusterGroup);
}

function hasFinalizer({ oldObject }: ObjectRemoval): boolean {
  const { finalizers } = (oldObject["metadata"] ?? {}) as { readonly finalizers?: readonly string[] };
  return finalizers?.some((name) => bucketFinalizers.includes(name)) === true;
}

function rejected({ kind, name }: ObjectChange, issues: readonly FieldIssue[]): Verdict {
  return { allowed: false, status: invalidObject({ group: kind.group, kind: kind.kind }, name, issues) };
}
