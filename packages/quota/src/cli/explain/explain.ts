import { type Command, InvalidArgumentError } from "commander";
import type { AllowanceBucket } from "../../core/resources/allowance-bucket.ts";
import type { CliContext } from "../cli-context.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { addClusterFlags, addNamespaceFlag, type ClusterFlags } from "../cluster/cluster-flags.ts";
import { QuotaObjects } from "../cluster/quota-objects.ts";
import { runOnCluster } from "../cluster/run-on-cluster.ts";
import { CommandError } from "../command-error.ts";
import {
  type ConsumerFilter,
  filterText,
  matchesConsumer,
  matchesResourceType,
  parseKindAndName,
} from "../consumer-filter.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { addOutputFlag, type OutputFlags, print } from "../output.ts";
import { readUnits } from "../units.ts";
import { type BucketBreakdown, breakDownBucket, breakdownText, breakdownValue } from "./explain-bucket.ts";
import {
  advice,
  type Explanation,
  explanationText,
  explanationValue,
  isAboutBucket,
  isDenied,
} from "./explain-claim.ts";
import { collectEvidence, type Evidence, explainClaim, explainFiles, explainObject } from "./explain-object.ts";

interface ExplainFlags extends ClusterFlags, OutputFlags {
  readonly filename?: readonly string[];
  readonly consumer?: ConsumerFilter;
  readonly resourceType?: string;
}

/** What to explain. */
type Subject =
  | { readonly about: "claim"; readonly name: string }
  | { readonly about: "bucket"; readonly name: string }
  | { readonly about: "object"; readonly object: ConsumerFilter }
  | { readonly about: "files"; readonly files: readonly string[] }
  | { readonly about: "buckets" };

export function addExplain(program: Command, cli: CliContext): void {
  const name = program.name();
  const command = program
    .command("explain")
    .description("explain why a request was denied, and what uses up a quota")
    .argument("[subject]", "NAME of a claim, KIND/NAME of an object, or bucket/NAME", parseSubject)
    .option("-f, --filename <file...>", "files or directories that contain the objects; - reads stdin")
    .option("--consumer <kind/name>", "explain the buckets of this consumer", parseKindAndName)
    .option("--resource-type <type>", "explain the buckets of this resource type")
    .addHelpText(
      "after",
      `
A denied claim of a policy is deleted immediately. Its denial is read from Events, which servers usually keep for an hour.
Objects in files that have neither a claim nor an Event are tried with a dry run.

Examples:
  ${name} explain Project/one-too-many
  ${name} explain -f project.yaml
  ${name} explain my-claim -n organization-acme-corp
  ${name} explain --consumer Organization/acme-corp --resource-type projects`,
    );
  addNamespaceFlag(
    command,
    "only claims and Events in this namespace; with -f, the namespace of objects that name none",
  );
  addOutputFlag(addClusterFlags(command)).action((subject: Subject | undefined) =>
    runOnCluster<ExplainFlags>(command, cli, (cluster, flags, signal) => explain(subject, cluster, flags, signal)),
  );
}

function parseSubject(text: string): Subject {
  const [, about, name] = /^(claim|resourceclaim|bucket|allowancebucket)\/([^/]+)$/i.exec(text) ?? [];
  if (name !== undefined) return { about: /claim/i.test(about ?? "") ? "claim" : "bucket", name };
  if (text === "") throw new InvalidArgumentError("must not be empty");
  return text.includes("/") ? { about: "object", object: parseKindAndName(text) } : { about: "claim", name: text };
}

async function explain(
  argument: Subject | undefined,
  cluster: Cluster,
  flags: ExplainFlags,
  signal: AbortSignal,
): Promise<ExitCode> {
  const subject = subjectOf(argument, flags);
  const units = await readUnits(cluster, signal);
  const { explanations, isComplete } = await explanationsOf(subject, cluster, signal);
  const breakdowns = await breakdownsOf(subject, explanations, { cluster, flags, signal });
  if (!isComplete && explanations.every(({ source }) => source === "dry-run")) cluster.printErr(rootNotReadable);
  if (explanations.length === 0 && breakdowns.length === 0) throw notFound(subject, cluster);
  const texts = [
    ...explanations.map((explanation) => explanationText(explanation, units)),
    ...(explanations.some(isDenied) ? [advice] : []),
    ...breakdowns.map((breakdown) => breakdownText(breakdown, units)),
  ];
  print(
    flags,
    () => texts.join("\n\n"),
    () => ({
      claims: explanations.map((explanation) => explanationValue(explanation, units)),
      buckets: breakdowns.map((breakdown) => breakdownValue(breakdown, units)),
    }),
  );
  const isKnown =
    breakdowns.length > 0 ||
    explanations.some((explanation) => explanation.source !== "dry-run" || isDenied(explanation));
  return isKnown ? exitCodes.success : exitCodes.notFound;
}

function subjectOf(argument: Subject | undefined, { filename, consumer, resourceType }: ExplainFlags): Subject {
  if (argument !== undefined) return argument;
  if (filename !== undefined) return { about: "files", files: filename };
  if (consumer !== undefined || resourceType !== undefined) return { about: "buckets" };
  const message = "nothing to explain: specify a claim, an object as KIND/NAME, a file with -f, or a --consumer";
  throw new CommandError(message, exitCodes.usageError);
}

const rootNotReadable =
  "You lack permission to read the root control plane, which may have further claims and Events for objects in projects. " +
  "Members of an organization can read its part with --organization NAME.";

async function explanationsOf(subject: Subject, cluster: Cluster, signal: AbortSignal) {
  if (subject.about === "bucket" || subject.about === "buckets") return { explanations: [], isComplete: true };
  const evidence = await collectEvidence(cluster, signal);
  return { explanations: await explanationsIn(evidence, subject, cluster, signal), isComplete: evidence.isComplete };
}

async function explanationsIn(
  evidence: Evidence,
  subject: Extract<Subject, { about: "claim" | "object" | "files" }>,
  cluster: Cluster,
  signal: AbortSignal,
): Promise<readonly Explanation[]> {
  switch (subject.about) {
    case "claim":
      return explainClaim(evidence, subject.name);
    case "object":
      return explainObject(evidence, subject.object, cluster);
    case "files":
      return explainFiles(evidence, subject.files, cluster, signal);
    default:
      throw new Error(`unknown subject ${subject satisfies never}`);
  }
}

interface ExplainScope {
  readonly cluster: Cluster;
  readonly flags: ExplainFlags;
  readonly signal: AbortSignal;
}

/** The selected buckets, or those that the explanations refer to. */
async function breakdownsOf(
  subject: Subject,
  explanations: readonly Explanation[],
  { cluster, flags, signal }: ExplainScope,
): Promise<readonly BucketBreakdown[]> {
  const planes = new Set(explanations.length > 0 ? explanations.map(({ plane }) => plane) : [cluster.target]);
  const lists = [...planes].map(async (plane) => {
    const objects = new QuotaObjects(plane, cluster.printErr, signal);
    const own = explanations.filter((explanation) => explanation.plane === plane);
    const selected = (await objects.buckets()).filter((bucket) => {
      if (subject.about === "buckets")
        return (
          matchesConsumer(flags.consumer, bucket.consumer) &&
          matchesResourceType(flags.resourceType, bucket.resourceType)
        );
      if (own.length === 0) return "name" in subject && bucket.metadata.name === subject.name;
      return own.some((explanation) => isAboutBucket(explanation, bucket));
    });
    // The bucket of a claim's dimensions explains more than the total.
    const ordered =
      own.length === 0 ? selected : selected.toSorted((left, right) => dimensionCount(right) - dimensionCount(left));
    return Promise.all(ordered.map((bucket) => breakDownBucket(bucket, objects)));
  });
  return (await Promise.all(lists)).flat();
}

function dimensionCount({ dimensions }: AllowanceBucket): number {
  return Object.keys(dimensions).length;
}

function notFound(subject: Subject, { namespace }: Cluster): CommandError {
  const inNamespace = namespace === undefined ? "" : ` in namespace ${namespace}`;
  const expired = "Servers usually keep Events for an hour: retry the request, then run this command again.";
  switch (subject.about) {
    case "claim":
      return new CommandError(
        `no claim, bucket or denial Event found for ${subject.name}${inNamespace}`,
        exitCodes.notFound,
        expired,
      );
    case "object":
      return new CommandError(
        `no claim or denial Event found for ${filterText(subject.object)}${inNamespace}`,
        exitCodes.notFound,
        `${expired} With -f and its manifest, a dry run shows whether the server would admit it now.`,
      );
    default:
      return new CommandError("bucket not found: no quota is granted or used", exitCodes.notFound);
  }
}
