import { type Command, InvalidArgumentError } from "commander";
import type { AllowanceBucket } from "../../core/resources/allowance-bucket.ts";
import type { Surroundings } from "../cluster/chosen-access.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { type ClusterFlags, withClusterFlags } from "../cluster/cluster-flags.ts";
import { onCluster } from "../cluster/on-cluster.ts";
import { QuotaObjects } from "../cluster/quota-objects.ts";
import { CommandFailure } from "../command-failure.ts";
import { type ConsumerFilter, isMeant, isType, readKindAndName } from "../consumer-filter.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { type OutputFlags, print, withOutputFlag } from "../output.ts";
import { readUnits } from "../units.ts";
import { type BucketMakeUp, makeUpOf, makeUpText, makeUpValue } from "./explain-bucket.ts";
import { advice, type Finding, findingText, findingValue, isAboutBucket, isDenied } from "./explain-claim.ts";
import { type Evidence, evidenceIn, findingsOfClaim, findingsOfFiles, findingsOfObject } from "./explain-object.ts";

interface ExplainFlags extends ClusterFlags, OutputFlags {
  readonly filename?: readonly string[];
  readonly consumer?: ConsumerFilter;
  readonly resourceType?: string;
}

/** What people want explained. */
type Subject =
  | { readonly about: "claim"; readonly name: string }
  | { readonly about: "bucket"; readonly name: string }
  | { readonly about: "object"; readonly object: ConsumerFilter }
  | { readonly about: "files"; readonly files: readonly string[] }
  | { readonly about: "buckets" };

export function addExplain(program: Command, surroundings: Surroundings): void {
  const name = program.name();
  const command = program
    .command("explain")
    .description("tell why something was denied, and what takes up a quota")
    .argument("[what]", "a claim's name, Kind/name of an object, or bucket/NAME", readSubject)
    .option("-f, --filename <file...>", "files or folders of the objects; - reads the standard input")
    .option("--consumer <kind/name>", "explain the buckets of this consumer", readKindAndName)
    .option("--resource-type <type>", "only the buckets of this resource type")
    .addHelpText(
      "after",
      `
Denied claims that were made automatically are gone at once; what became of them is read from Events, for as long as the
server keeps those (an hour, mostly). The server is asked about objects in files of which nothing is known, by a dry run.

Examples:
  ${name} explain Project/one-too-many
  ${name} explain -f project.yaml
  ${name} explain my-claim -n organization-acme-corp
  ${name} explain --consumer Organization/acme-corp --resource-type projects`,
    );
  withOutputFlag(withClusterFlags(command)).action((what: Subject | undefined) =>
    onCluster<ExplainFlags>(command, surroundings, (cluster, flags, signal) => explain(what, cluster, flags, signal)),
  );
}

function readSubject(text: string): Subject {
  const [, about, name] = /^(claim|resourceclaim|bucket|allowancebucket)\/([^/]+)$/i.exec(text) ?? [];
  if (name !== undefined) return { about: /claim/i.test(about ?? "") ? "claim" : "bucket", name };
  if (text === "") throw new InvalidArgumentError("give a name");
  return text.includes("/") ? { about: "object", object: readKindAndName(text) } : { about: "claim", name: text };
}

async function explain(
  what: Subject | undefined,
  cluster: Cluster,
  flags: ExplainFlags,
  signal: AbortSignal,
): Promise<ExitCode> {
  const subject = subjectOf(what, flags);
  const units = await readUnits(cluster, signal);
  const { findings, isAll } = await findingsOf(subject, cluster, signal);
  const makeUps = await makeUpsOf(subject, findings, { cluster, flags, signal });
  if (!isAll && findings.every(({ found }) => found === "trial")) cluster.note(rootUnseen);
  if (findings.length === 0 && makeUps.length === 0) throw nothingFound(subject);
  const texts = [
    ...findings.map((finding) => findingText(finding, units)),
    ...(findings.some(isDenied) ? [advice] : []),
    ...makeUps.map((makeUp) => makeUpText(makeUp, units)),
  ];
  print(
    flags,
    () => texts.join("\n\n"),
    () => ({
      claims: findings.map((finding) => findingValue(finding, units)),
      buckets: makeUps.map((makeUp) => makeUpValue(makeUp, units)),
    }),
  );
  const isKnown = makeUps.length > 0 || findings.some((finding) => finding.found !== "trial" || isDenied(finding));
  return isKnown ? exitCodes.fine : exitCodes.missing;
}

function subjectOf(what: Subject | undefined, { filename, consumer, resourceType }: ExplainFlags): Subject {
  if (what !== undefined) return what;
  if (filename !== undefined) return { about: "files", files: filename };
  if (consumer !== undefined || resourceType !== undefined) return { about: "buckets" };
  const message = "nothing to explain: name a claim, an object as Kind/name, a file with -f, or a --consumer";
  throw new CommandFailure(message, exitCodes.unusable);
}

const rootUnseen =
  "You may not look into the root, where claims and Events for what is in projects may be, too. Members of an organization " +
  "see its part with --organization NAME.";

async function findingsOf(subject: Subject, cluster: Cluster, signal: AbortSignal) {
  if (subject.about === "bucket" || subject.about === "buckets") return { findings: [], isAll: true };
  const evidence = await evidenceIn(cluster, signal);
  return { findings: await findingsIn(evidence, subject, cluster, signal), isAll: evidence.isAll };
}

async function findingsIn(
  evidence: Evidence,
  subject: Extract<Subject, { about: "claim" | "object" | "files" }>,
  cluster: Cluster,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  switch (subject.about) {
    case "claim":
      return findingsOfClaim(evidence, subject.name);
    case "object":
      return findingsOfObject(evidence, subject.object, cluster);
    case "files":
      return findingsOfFiles(evidence, subject.files, cluster, signal);
    default:
      throw new Error(`unknown subject ${subject satisfies never}`);
  }
}

interface Where {
  readonly cluster: Cluster;
  readonly flags: ExplainFlags;
  readonly signal: AbortSignal;
}

/** The buckets that were asked for, or those that the findings are about. */
async function makeUpsOf(
  subject: Subject,
  findings: readonly Finding[],
  { cluster, flags, signal }: Where,
): Promise<readonly BucketMakeUp[]> {
  const planes = new Set(findings.length > 0 ? findings.map(({ plane }) => plane) : [cluster.here]);
  const lists = [...planes].map(async (plane) => {
    const objects = new QuotaObjects(plane, cluster.note, signal);
    const own = findings.filter((finding) => finding.plane === plane);
    const meant = (await objects.buckets()).filter((bucket) => {
      if (subject.about === "buckets")
        return isMeant(flags.consumer, bucket.consumer) && isType(flags.resourceType, bucket.resourceType);
      if (own.length === 0) return "name" in subject && bucket.metadata.name === subject.name;
      return own.some((finding) => isAboutBucket(finding, bucket));
    });
    // What is about the dimensions of a claim tells more of it than the total.
    const ordered =
      own.length === 0 ? meant : meant.toSorted((left, right) => dimensionsOf(right) - dimensionsOf(left));
    return Promise.all(ordered.map((bucket) => makeUpOf(bucket, objects)));
  });
  return (await Promise.all(lists)).flat();
}

function dimensionsOf({ dimensions }: AllowanceBucket): number {
  return Object.keys(dimensions).length;
}

function nothingFound(subject: Subject): CommandFailure {
  const forgotten = "Events are kept for an hour or so: try it again, and ask then.";
  switch (subject.about) {
    case "claim":
      return new CommandFailure(
        `there is no claim or bucket ${subject.name}, and no Event of one that was denied`,
        exitCodes.missing,
        forgotten,
      );
    case "object": {
      const { kind, name } = subject.object;
      return new CommandFailure(
        `nothing is known of ${kind}/${name}: no claim is there for it, and no Event of one that was denied`,
        exitCodes.missing,
        `${forgotten} With -f and its manifest the server is asked whether it would let it in now.`,
      );
    }
    default:
      return new CommandFailure("there is no such bucket: nothing of it is granted or used", exitCodes.missing);
  }
}
