// Every number a benchmark is held to, with the reason for it. A figure may miss its budget by a quarter before the
// run fails, because the machines that run this are noisy; the exact figure is always printed.

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
    reason: "every object is read through it, and all but a few hold no integer beyond 2^53",
  },
  celEvaluate: {
    bound: "at least",
    value: 5,
    unit: "x @bufbuild/cel",
    reason: "conditions run inside the create of every governed object; they must vanish beside its disk write",
  },
  ledgerGrowth: {
    bound: "at most",
    value: 1.2,
    unit: "x the time with 1 claim",
    reason: "the cost of a decision must not grow with the claims granted before it",
  },
  ledgerClaimAtRest: {
    bound: "at most",
    value: 200,
    unit: "bytes",
    reason: "a million granted claims must fit into 200 MB, beside everything else on a small machine",
  },
  storageGroupCommit: {
    bound: "at least",
    value: 4,
    unit: "x one writer",
    reason: "writers that come together must share the wait for the disk, whose speed is not ours to promise",
  },
  storageObjectAtRest: {
    bound: "at most",
    value: 300,
    unit: "bytes beyond its text",
    reason: "a million objects must cost little more than their text",
  },
  apiThroughput: {
    bound: "at least",
    value: 1.5,
    unit: "x Kubernetes",
    reason: "who gives up a cluster for one process must win by it",
  },
  apiLatency: {
    bound: "at most",
    value: 0.7,
    unit: "x Kubernetes",
    reason: "quota adds to the time of every create; the server below must leave room for it",
  },
  apiDelay: {
    bound: "at most",
    value: 20,
    unit: "ms",
    reason: "one thread serves everybody: nobody may hold it for long",
  },
  apiIdleMemory: {
    bound: "at most",
    value: 120,
    unit: "MiB",
    reason: "it runs beside the work of a small machine",
  },
  apiStart: {
    bound: "at most",
    value: 700,
    unit: "ms",
    reason: "a start that people wait for is one they do not make",
  },
  versionCpu: {
    bound: "at most",
    value: 1.5,
    unit: "x node -e 0",
    reason: "a command that needs no server must not pay for its code; completion and scripts call it often",
  },
  apiWatchMemory: {
    bound: "at most",
    value: 200,
    unit: "MiB",
    reason: "a thousand watchers share the text of each event; what they have not read yet is bounded",
  },
  claimsAgainstRaw: {
    bound: "at least",
    value: 0.45,
    unit: "x raw",
    reason: "a decided claim is two writes of one object, its create and its answer, and a share of a third",
  },
  claimWritesAlone: {
    bound: "at most",
    value: 2.2,
    unit: "writes",
    reason: "one promise on the page and one answer; what was promised before is counted in the same write",
  },
  claimWritesTogether: {
    bound: "at most",
    value: 1.1,
    unit: "writes",
    reason: "claims that come together share the write of the page, and only the answer is their own",
  },
  claimsSpread: {
    bound: "at least",
    value: 0.6,
    unit: "x one bucket",
    reason: "buckets share no page, so each pays for its own; that is another write, and nothing else",
  },
  claimGrowth: {
    bound: "at most",
    value: 1.1,
    unit: "x with none",
    reason: "what was granted before is counted once, and never looked at again",
  },
  claimAtRest: {
    bound: "at most",
    value: 1024,
    unit: "bytes",
    reason: "a million granted claims must fit into a gigabyte of the controllers",
  },
  admissionAgainstRaw: {
    bound: "at least",
    value: 0.45,
    unit: "x raw",
    reason: "an admitted object is two objects that are made, stored and followed, and a share of a bucket",
  },
  admissionLatency: {
    bound: "at most",
    value: 1.6,
    unit: "x raw",
    reason: "bucket, claim and object are one transaction: a client waits for the disk once, as without quota",
  },
  admissionWritesAlone: {
    bound: "at most",
    value: 2.05,
    unit: "writes",
    reason: "the claim and the bucket, and now and then a total that is shown to people",
  },
  admissionWritesTogether: {
    bound: "at most",
    value: 1.1,
    unit: "writes",
    reason: "objects that come together share the write of the bucket",
  },
  admissionSpread: {
    bound: "at least",
    value: 0.75,
    unit: "x one bucket",
    reason: "consumers share nothing, and few clients fill no page anyway",
  },
  admissionGrowth: {
    bound: "at most",
    value: 1.05,
    unit: "x with none",
    reason: "what was granted before is counted once, and never looked at again",
  },
  admissionAtRest: {
    bound: "at most",
    value: 2_000,
    unit: "bytes",
    reason: "a claim is stored, indexed and followed; a hundred thousand of them take 200 MB",
  },
  rawAgainstBaseline: {
    bound: "at most",
    value: 3,
    unit: "% slower",
    reason: "objects that no policy is about must not pay for quota; less than this is lost in the noise of machines",
  },
  walkCalls: {
    bound: "at most",
    value: 2,
    unit: "x ungoverned",
    reason: "a governed create stores two objects, its own and the claim; all the rest must cost no more than a create",
  },
  walkFiles: {
    bound: "at most",
    value: 190,
    unit: "files",
    reason: "whoever changes the path of a request has to know the files on it",
  },
} satisfies Record<string, Budget>;

export type BudgetName = keyof typeof budgets;
