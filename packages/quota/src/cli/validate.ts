import { type FieldIssue, issueText } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { isJsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { Command } from "commander";
import { compileClaimPolicy } from "../core/policy/claim-policy.ts";
import { compileGrantPolicy } from "../core/policy/grant-policy.ts";
import type { ResourceRegistration } from "../core/resources/resource-registration.ts";
import { claimFaults } from "../core/resources/rules/claim-faults.ts";
import {
  claimIssues,
  claimPolicyIssues,
  grantIssues,
  grantPolicyIssues,
} from "../core/resources/rules/object-rules.ts";
import { type RegistrationView, registrationIssues } from "../core/resources/rules/registration-rules.ts";
import { exitCodes } from "./exit-codes.ts";
import { type Manifest, readManifests } from "./manifests.ts";
import { isQuotaObject, type QuotaObject, readQuotaObject } from "./quota-object.ts";
import { counted } from "./text-table.ts";

interface Validation {
  readonly problems: readonly string[];
  readonly checked: number;
  readonly skipped: number;
}

export function addValidate(program: Command): void {
  const name = program.name();
  program
    .command("validate")
    .description("check quota manifests without a cluster")
    .argument("<path...>", "YAML or JSON files, or directories of them; - reads stdin")
    .addHelpText(
      "after",
      `
Grants, claims and policies are checked against the registrations in the files, which count as Active.

Examples:
  ${name} validate quota/
  kubectl kustomize overlays/prod | ${name} validate -`,
    )
    .action((paths: string[]) => {
      const { manifests, unreadable } = readManifests(paths);
      const validation = validate(manifests);
      for (const error of unreadable) console.error(`error: ${error}`);
      for (const problem of validation.problems) console.error(problem);
      const isNothingRead = unreadable.length > 0 && manifests.length === 0;
      if (!isNothingRead) console.log(summary(validation, unreadable.length));
      const isInvalid = validation.problems.length > 0;
      process.exitCode =
        unreadable.length > 0 ? exitCodes.usageError : isInvalid ? exitCodes.negative : exitCodes.success;
    });
}

function summary({ problems, checked, skipped }: Validation, unreadable: number): string {
  const others = skipped === 0 ? "" : `, ${skipped} of other APIs skipped`;
  const unread = unreadable === 0 ? "" : `, ${counted(unreadable, "path")} not read`;
  const found = problems.length === 0 ? "no problems" : counted(problems.length, "problem");
  return `${counted(checked, "object")} checked${others}${unread}: ${found}`;
}

/** Checks each object by itself, and against the registrations in the same files. */
function validate(manifests: readonly Manifest[]): Validation {
  const quotaManifests = manifests.filter(({ object }) => isQuotaObject(object));
  const read = quotaManifests.map((manifest) => ({ manifest, ...readQuotaObject(manifest.object) }));
  const view = viewOf(read.flatMap(({ object }) => (object === undefined ? [] : [object])));
  const problems = read.flatMap(({ manifest, object, issues }) => {
    const all = object === undefined ? issues : [...issues, ...ownIssues(object), ...viewIssues(object, view)];
    return all.map((issue) => `${describe(manifest)}: ${issueText(issue)}`);
  });
  return { problems, checked: quotaManifests.length, skipped: manifests.length - quotaManifests.length };
}

/** Issues that do not depend on other objects. */
function ownIssues(object: QuotaObject): readonly FieldIssue[] {
  switch (object.kind) {
    case "ResourceClaim":
      return claimFaults(object.value);
    case "GrantCreationPolicy":
      return compileIssues(compileGrantPolicy(object.value));
    case "ClaimCreationPolicy":
      return compileIssues(compileClaimPolicy(object.value));
    default:
      return [];
  }
}

/** Issues with regard to registrations; none if the files contain no registration. */
function viewIssues(object: QuotaObject, view: RegistrationView | undefined): readonly FieldIssue[] {
  if (view === undefined) return [];
  switch (object.kind) {
    case "ResourceRegistration":
      return registrationIssues(object.value, view);
    case "ResourceGrant":
      return grantIssues(object.value, view);
    case "ResourceClaim":
      return claimIssues(object.value, view);
    case "GrantCreationPolicy":
      return grantPolicyIssues(object.value, view);
    case "ClaimCreationPolicy":
      return claimPolicyIssues(object.value, view);
    default:
      return [];
  }
}

type Compiled = { readonly ok: true } | { readonly ok: false; readonly issues: readonly FieldIssue[] };

function compileIssues(compiled: Compiled): readonly FieldIssue[] {
  return compiled.ok ? [] : compiled.issues;
}

function viewOf(objects: readonly QuotaObject[]): RegistrationView | undefined {
  const registrations = objects.flatMap((object) =>
    object.kind === "ResourceRegistration" ? [active(object.value)] : [],
  );
  if (registrations.length === 0) return undefined;
  return { byResourceType: (type) => registrations.filter(({ resourceType }) => resourceType === type) };
}

/** A registration in a manifest has no status yet. Its own issues are reported separately, so it counts as Active. */
function active(registration: ResourceRegistration): ResourceRegistration {
  const condition = {
    type: "Active",
    status: "True",
    reason: "RegistrationActive",
    message: "",
    lastTransitionTime: "",
  } as const;
  return { ...registration, status: { ...registration.status, conditions: [condition] } };
}

function describe({ file, position, object }: Manifest): string {
  const metadata = isJsonObject(object["metadata"]) ? object["metadata"] : {};
  const name = metadata["name"] ?? metadata["generateName"] ?? "";
  return `${file}#${position} ${String(object["kind"] ?? "?")}/${String(name)}`;
}
