import { forbiddenTo, invalidObject } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { type FieldIssue, issueText } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { jsonEquals } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";
import type { RegistrationView } from "../../core/resources/rules/registration-rules.ts";
import { annotations, pageFinalizer, quotaGroup } from "../../core/resources/well-known.ts";
import type { ControlPlanes } from "../../views/control-planes.ts";
import { allowed, type ObjectChange, type ObjectRemoval, type Verdict } from "../object-change.ts";
import { withAwaited } from "../policies/awaited-registrations.ts";
import { type OwnIssues, ownRules } from "./own-rules.ts";
import { changedMarks } from "./reserved-marks.ts";

export interface OwnKindsOptions {
  readonly planes: ControlPlanes;
  readonly registrations: RegistrationView;
  /** Registrations as the server has them right now: a view may be late, and nobody is refused or warned by a late view. */
  readonly readRegistrations: (signal: AbortSignal) => Promise<RegistrationView>;
  /** Whether everything where that object is is being deleted. */
  readonly isNamespaceGoing: (removal: ObjectRemoval, signal: AbortSignal) => Promise<boolean>;
  /** The users that the quota system itself writes as. */
  readonly systemUsers: readonly string[];
  /**
   * Whether a request comes from the bucket writer of this process, where there is no other: decisions rely on the status of
   * buckets being written by nobody else. Left out where several processes may write, each on the version that it read.
   */
  readonly isBucketWriter?: ((user: UserInfo) => boolean) | undefined;
}

/** Kinds that nobody but the system writes: decisions rest on one of them, and the other shows what they come to. */
const ledgerKinds: readonly string[] = ["AllowanceBucket", "EffectiveResourceGrant"];
const mastersGroup = "system:masters";
/** In the groups of what a Kubernetes is made of: namespaces are emptied and owners followed by these. */
const clusterGroup = "system:serviceaccounts:kube-system";
const clusterUsers: readonly string[] = ["system:apiserver", "system:kube-controller-manager"];
const goesByItself =
  "it follows from grants and claims, and goes by itself when neither names it any more: delete those in its place";
const onlySystem = "only the quota system writes it; it follows from grants and claims";
const onlyThisServer = `${onlySystem}. To have a bucket counted anew, run milo-quota recount --fix, or set its annotation ${annotations.recount}`;

/** Objects of the quota API itself: what a schema cannot say of them, and who may write what. */
export class OwnKinds {
  readonly #options: OwnKindsOptions;

  constructor(options: OwnKindsOptions) {
    this.#options = options;
  }

  async decide(change: ObjectChange, signal: AbortSignal): Promise<Verdict> {
    if (ledgerKinds.includes(change.kind.kind)) return this.#ledger(change);
    // What controllers say of an object is theirs alone by their rights.
    if (change.subresource !== "") return allowed;
    const marks = change.kind.kind === "ResourceClaim" ? this.#marks(change) : [];
    const { faults, elsewhere } = await this.#issues(change, signal);
    const isRequest = change.kind.kind === "ResourceClaim" && change.operation === "CREATE";
    const issues = [...marks, ...faults, ...(isRequest ? elsewhere : [])];
    if (issues.length > 0) return refusal(change, issues);
    if (!isRequest) for (const issue of elsewhere) change.warn(`not in effect yet: ${issueText(issue)}`);
    return allowed;
  }

  /**
   * A page in use would stay, marked as deleted, and whoever deleted it would wait for ever. Everything goes with its
   * namespace, and masters may free a page from its finalizer first.
   */
  async decideRemoval(removal: ObjectRemoval, signal: AbortSignal): Promise<Verdict> {
    const { kind, userInfo: user, name, warn } = removal;
    if (kind.group !== quotaGroup || !ledgerKinds.includes(kind.kind) || this.#isSystem(user)) return allowed;
    if (isOfCluster(user) || (await this.#options.isNamespaceGoing(removal, signal))) return allowed;
    if (user.groups.includes(mastersGroup) && !isHeld(removal)) {
      warn(`${kind.kind} is kept by the quota system: it is made again while grants or claims name it`);
      return allowed;
    }
    return { allowed: false, status: forbiddenTo({ group: kind.group, resource: kind.plural }, name, goesByItself) };
  }

  #ledger(change: ObjectChange): Verdict {
    const { userInfo: user, kind, name, warn } = change;
    const { isBucketWriter } = this.#options;
    const resource = { group: kind.group, resource: kind.plural };
    if (isBucketWriter !== undefined && change.subresource === "status" && !isBucketWriter(user)) {
      return { allowed: false, status: forbiddenTo(resource, name, onlyThisServer) };
    }
    if (this.#isSystem(user)) return allowed;
    if (user.groups.includes(mastersGroup)) {
      warn(`${kind.kind} is kept by the quota system: what is written by hand is put right again`);
      return allowed;
    }
    return { allowed: false, status: forbiddenTo(resource, name, onlySystem) };
  }

  #marks({ userInfo: user, object, oldObject, warn }: ObjectChange): readonly FieldIssue[] {
    if (this.#isSystem(user)) return [];
    const issues = changedMarks(object, oldObject);
    if (!user.groups.includes(mastersGroup)) return issues;
    for (const issue of issues) warn(`${issueText(issue)}; let through because ${mastersGroup} may do anything`);
    return [];
  }

  /** Whoever changes nothing of what was asked for is not held to it again: an object must be able to go. */
  async #issues(change: ObjectChange, signal: AbortSignal): Promise<OwnIssues> {
    const { object, oldObject, plane } = change;
    const { kind } = change.kind;
    const rule = ownRules[kind];
    const isSame = oldObject !== undefined && jsonEquals(object["spec"] ?? null, oldObject["spec"] ?? null);
    if (rule === undefined || isSame) return { faults: [], elsewhere: [] };
    const { planes, registrations, readRegistrations } = this.#options;
    const seen = rule(object, oldObject, { plane, planes, registrations });
    if (seen.elsewhere.length === 0) return seen;
    const live = await readRegistrations(signal);
    return rule(object, oldObject, {
      plane,
      planes,
      registrations: kind === "ResourceClaim" ? live : withAwaited(live),
    });
  }

  #isSystem({ username }: UserInfo): boolean {
    return this.#options.systemUsers.includes(username);
  }
}

function isOfCluster({ username, groups }: UserInfo): boolean {
  return clusterUsers.includes(username) || groups.includes(clusterGroup);
}

function isHeld({ oldObject }: ObjectRemoval): boolean {
  const { finalizers } = (oldObject["metadata"] ?? {}) as { readonly finalizers?: readonly string[] };
  return finalizers?.includes(pageFinalizer) === true;
}

function refusal({ kind, name }: ObjectChange, issues: readonly FieldIssue[]): Verdict {
  return { allowed: false, status: invalidObject({ group: kind.group, kind: kind.kind }, name, issues) };
}
