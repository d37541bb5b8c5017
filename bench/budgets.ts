// The budgets of all benchmarks, each with its reason. A run fails only if a figure misses its budget by more than 25 %,
// because the machines that run it are noisy. The exact figure is always printed.

interface Budget {
  readonly bound: "at least" | "at most";
  readonly value: number;
  readonly unit: string;
  readonly reason: string;
}

export const budgets = {
  exactJsonRead: {
    bound: "at least",
    value: 0.8,
    unit: "x JSON.parse",
    reason: "every object is parsed by it, and almost no object has an integer beyond 2^53",
  },
  celEvaluate: {
    bound: "at least",
    value: 5,
    unit: "x @bufbuild/cel",
    reason: "policy conditions run in every governed create and must be negligible next to its disk write",
  },
  ledgerGrowth: {
    bound: "at most",
    value: 1.2,
    unit: "x the time with 1 claim",
    reason: "the cost of a decision must not grow with the claims granted before it",
  },
  ledgerClaimMemory: {
    bound: "at most",
    value: 200,
    unit: "bytes",
    reason: "a million granted claims must fit into 200 MB on a small machine",
  },
  storageGroupCommit: {
    bound: "at least",
    value: 4,
    unit: "x one writer",
    reason: "concurrent writers must share the wait for the disk (group commit)",
  },
  storageObjectMemory: {
    bound: "at most",
    value: 300,
    unit: "bytes beyond its JSON",
    reason: "a million objects must take little more memory than their JSON",
  },
  apiThroughput: {
    bound: "at least",
    value: 1.5,
    unit: "x Kubernetes",
    reason: "a single process must be faster than the cluster that it replaces",
  },
  apiLatency: {
    bound: "at most",
    value: 0.7,
    unit: "x Kubernetes",
    reason: "quota adds latency to every create, so the server itself must be faster than Kubernetes",
  },
  apiDelay: {
    bound: "at most",
    value: 20,
    unit: "ms",
    reason: "one thread serves all requests, so no request may block it for long",
  },
  apiIdleMemory: {
    bound: "at most",
    value: 120,
    unit: "MiB",
    reason: "the server shares a small machine with other programs",
  },
  apiStart: {
    bound: "at most",
    value: 700,
    unit: "ms",
    reason: "starting a local server must feel instant",
  },
  versionCpu: {
    bound: "at most",
    value: 1.5,
    unit: "x node -e 0",
    reason:
      "a command that needs no server must not load the server's code; shell completion and scripts call it often",
  },
  apiWatchMemory: {
    bound: "at most",
    value: 200,
    unit: "MiB",
    reason: "a thousand watchers share the JSON of each event, and their send buffers are bounded",
  },
  claimsAgainstRaw: {
    bound: "at least",
    value: 0.45,
    unit: "x raw",
    reason: "a decided claim costs two writes of its own, the create and the status, and a share of the bucket write",
  },
  claimWritesSingle: {
    bound: "at most",
    value: 2.2,
    unit: "writes",
    reason:
      "one reservation in the bucket and one claim status; the previous claim is counted in the same bucket write",
  },
  claimWritesConcurrent: {
    bound: "at most",
    value: 1.1,
    unit: "writes",
    reason: "concurrent claims share the bucket write; only the claim status is written for each",
  },
  claimsManyBuckets: {
    bound: "at least",
    value: 0.6,
    unit: "x one bucket",
    reason: "claims in different buckets share no bucket write, so each costs one more write and nothing else",
  },
  claimGrowth: {
    bound: "at most",
    value: 1.1,
    unit: "x with none",
    reason: "the cost of a decision must not grow with the claims granted before it",
  },
  claimMemory: {
    bound: "at most",
    value: 1024,
    unit: "bytes",
    reason: "the controllers must hold a million granted claims in one gigabyte",
  },
  admissionAgainstRaw: {
    bound: "at least",
    value: 0.45,
    unit: "x raw",
    reason: "an admitted object means two objects to create, store and watch, and a share of the bucket write",
  },
  admissionLatency: {
    bound: "at most",
    value: 1.6,
    unit: "x raw",
    reason: "bucket, claim and object are one transaction, so a client waits for the disk once, as without quota",
  },
  admissionWritesSingle: {
    bound: "at most",
    value: 2.05,
    unit: "writes",
    reason: "the claim and the bucket, and from time to time an EffectiveResourceGrant",
  },
  admissionWritesConcurrent: {
    bound: "at most",
    value: 1.1,
    unit: "writes",
    reason: "concurrent objects share the bucket write",
  },
  admissionManyBuckets: {
    bound: "at least",
    value: 0.75,
    unit: "x one bucket",
    reason: "consumers share no bucket write, but few clients gain little from sharing",
  },
  admissionGrowth: {
    bound: "at most",
    value: 1.05,
    unit: "x with none",
    reason: "the cost of a decision must not grow with the claims granted before it",
  },
  admissionClaimMemory: {
    bound: "at most",
    value: 2_000,
    unit: "bytes",
    reason: "a claim is stored, indexed and watched; a hundred thousand of them must fit into 200 MB",
  },
  rawAgainstBaseline: {
    bound: "at most",
    value: 3,
    unit: "% slower",
    reason: "objects without a policy must not pay for quota; smaller differences are noise",
  },
  requestCalls: {
    bound: "at most",
    value: 2,
    unit: "x ungoverned",
    reason: "a governed create stores two objects, so it may cost as much as two ungoverned creates",
  },
  requestFiles: {
    bound: "at most",
    value: 190,
    unit: "files",
    reason: "a developer who changes the request path has to know all files on it",
  },
} satisfies Record<string, Budget>;

export type BudgetName = keyof typeof budgets;
