import type { Command } from "commander";
import { stringify } from "yaml";
import { claimManifest, compileClaimPolicy } from "../core/policy/claim-policy.ts";
import { compileGrantPolicy, grantManifest } from "../core/policy/grant-policy.ts";
import type { RequestUser } from "../core/policy/policy-variables.ts";
import { bucketNamespace } from "../core/resources/object-names.ts";
import { type FieldIssue, issueText } from "../protocol/field-issue.ts";
import type { JsonObject } from "../protocol/json-value.ts";
import { parseApiVersion } from "../protocol/object-meta.ts";
import { exitCodes } from "./exit-codes.ts";
import { ManifestError, readManifests } from "./manifests.ts";
import { type QuotaObject, readQuotaObject } from "./quota-object.ts";

interface RenderOptions {
  readonly policy: string;
  readonly object: string;
  readonly user: string;
  readonly group: readonly string[];
}

/** What a policy makes of an object: something to print, and whether it worked. */
type RenderResult =
  | { readonly outcome: "rendered"; readonly manifest: JsonObject }
  | { readonly outcome: "nothing"; readonly because: string }
  | { readonly outcome: "failed"; readonly problems: readonly string[] };

export function addRender(program: Command, now: () => string): void {
  program
    .command("render")
    .description("show the claim or grant that a policy makes for an object, without a cluster")
    .requiredOption("--policy <file>", "a ClaimCreationPolicy or GrantCreationPolicy")
    .requiredOption("--object <file>", "the object that triggers it")
    .option("--user <name>", "who creates the object", "kubernetes-admin")
    .option("--group <name...>", "groups of the user", [])
    .action((options: RenderOptions) => {
      const user = { name: options.user, uid: "", groups: options.group, extra: {} };
      print(render(onlyObject(options.policy), onlyObject(options.object), { user, now: now() }));
    });
}

function print(result: RenderResult): void {
  switch (result.outcome) {
    case "rendered":
      console.log(stringify(result.manifest).trimEnd());
      break;
    case "nothing":
      console.log(result.because);
      break;
    case "failed":
      for (const problem of result.problems) console.error(problem);
      process.exitCode = exitCodes.refused;
      break;
    default:
      throw new Error(`unknown outcome ${result satisfies never}`);
  }
}

function onlyObject(path: string): JsonObject {
  const [manifest, ...others] = readManifests([path]);
  if (manifest === undefined || others.length > 0) throw new ManifestError(`${path} must hold one object`);
  return manifest.object;
}

/** Who creates the object, and when. */
interface RenderContext {
  readonly user: RequestUser;
  readonly now: string;
}

/** Renders as if the object were created in a cluster's only control plane. */
function render(policy: JsonObject, object: JsonObject, context: RenderContext): RenderResult {
  const parsed = readQuotaObject(policy);
  if (!parsed.ok) return failed(parsed.issues);
  switch (parsed.value.kind) {
    case "ClaimCreationPolicy":
      return renderClaim(parsed.value.value, object, context);
    case "GrantCreationPolicy":
      return renderGrant(parsed.value.value, object);
    default:
      return {
        outcome: "failed",
        problems: [`a ${parsed.value.kind} renders nothing: give a ClaimCreationPolicy or GrantCreationPolicy`],
      };
  }
}

type Policy<Kind> = Extract<QuotaObject, { kind: Kind; value: unknown }>["value"];

function renderClaim(
  policy: Policy<"ClaimCreationPolicy">,
  trigger: JsonObject,
  { user, now }: RenderContext,
): RenderResult {
  const compiled = compileClaimPolicy(policy);
  if (!compiled.ok) return failed(compiled.issues);
  const rendering = compiled.policy.evaluate({
    trigger,
    user,
    requestInfo: requestOf(trigger),
    plane: "",
    planeConsumer: undefined,
    bucketNamespace: (consumer) => bucketNamespace(consumer, () => true),
    now,
  });
  if (rendering.outcome === "claim") return { outcome: "rendered", manifest: claimManifest(rendering.claim) };
  if (rendering.outcome === "nothing") return { outcome: "nothing", because: "every amount is 0: no claim" };
  return rendering.outcome === "differs" ? differs : { outcome: "failed", problems: [rendering.message] };
}

function renderGrant(policy: Policy<"GrantCreationPolicy">, trigger: JsonObject): RenderResult {
  const compiled = compileGrantPolicy(policy);
  if (!compiled.ok) return failed(compiled.issues);
  const rendering = compiled.policy.evaluate({
    trigger,
    plane: "",
    bucketNamespace: (consumer) => bucketNamespace(consumer, () => true),
  });
  if (rendering.outcome === "grant") return { outcome: "rendered", manifest: grantManifest(rendering.grant) };
  return rendering.outcome === "differs" ? differs : { outcome: "failed", problems: [rendering.message] };
}

const differs: RenderResult = {
  outcome: "nothing",
  because: "the conditions do not hold for this object: nothing is made",
};

/** A create, as far as an object alone can tell. */
function requestOf(trigger: JsonObject) {
  const { group: apiGroup, version: apiVersion } = parseApiVersion(String(trigger["apiVersion"] ?? ""));
  const metadata = (trigger["metadata"] ?? {}) as JsonObject;
  const text = (field: string): string => String(metadata[field] ?? "");
  const resource = `${String(trigger["kind"] ?? "").toLowerCase()}s`;
  return {
    verb: "create",
    apiGroup,
    apiVersion,
    resource,
    subresource: "",
    namespace: text("namespace"),
    name: text("name"),
  };
}

function failed(issues: readonly FieldIssue[]): RenderResult {
  return { outcome: "failed", problems: issues.map(issueText) };
}
