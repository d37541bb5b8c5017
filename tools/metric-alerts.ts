export interface MetricAlert {
  readonly title: string;
  /** PromQL; the alert fires while it gives a result. */
  readonly expression: string;
  readonly meaning: string;
  readonly action: string;
}

/** The alerts that every installation should have, the most urgent one first. */
export const metricAlerts: readonly MetricAlert[] = [
  {
    title: "Writes to the disk fail",
    expression: "milo_quota_storage_writable == 0",
    meaning:
      "The API server cannot store objects, and answers writes with 503. The usual cause is a full disk, which still takes deletions.",
    action:
      "Free space: writes work again without a restart. After any other failure of the disk, check it and restart the server. See [Durability](../durability.md#when-the-disk-fails).",
  },
  {
    title: "Requests are rejected without a quota decision",
    expression:
      'sum by (policy_name, result) (increase(milo_quota_admission_result_total{result=~"misconfigured|undecided"}[5m])) > 0',
    meaning:
      "`misconfigured`: the policy fails for some objects, and users get a 500. `undecided`: the decision took too long, and users get a 503.",
    action:
      "For `misconfigured`, fix the policy; `milo-quota render` shows the failure, and `failurePolicy: Ignore` admits objects until then. For `undecided`, check `workqueue_depth`, `milo_quota_storage_commit_duration_seconds` and the CPU of the process.",
  },
  {
    title: "A policy does not decide as written",
    expression:
      'milo_quota_claim_policy_status_condition{type="Enforced",reason!~"PolicyEnforced|PolicyDisabled"} == 1',
    meaning:
      "`NotReady`: it has never been ready, and rejects nothing. `PolicyBroken`: another object broke it, and it rejects what it matches as misconfigured. `EarlierGenerationEnforced`: it was edited, and decides as before. `SystemShadow`, `SystemOff`: the server was started with `--enforcement`.",
    action:
      "Run `milo-quota doctor`; the condition `Ready` of the policy says what is wrong. Objects that are created before a policy is ready are not counted later, unless it has `existingObjects: Adopt`.",
  },
  {
    title: "Counts were wrong",
    expression: "milo_quota_drift != 0",
    meaning:
      "The periodic audit found counts in memory that differed from the claims, and corrected them. This should never happen.",
    action: "Run `milo-quota recount`, and report the label `resource_type` with the log as a bug.",
  },
  {
    title: "A quota is nearly used up",
    expression:
      "milo_quota_bucket_allocated / (milo_quota_bucket_limit > 0)\n  * on (uid) group_left (consumer_kind, consumer_name) milo_quota_bucket_info > 0.9",
    meaning: "A consumer uses more than 90 % of a limit. Its next requests may be rejected.",
    action:
      "Talk to the tenant, or [raise the limit](../guides/raising-a-limit.md). `milo-quota explain --consumer KIND/NAME` lists the largest claims.",
  },
];
