import type { ApiRequest } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import { invalidObject, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { type FieldIssue, forbidden, notSupported, required } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { managerIssues } from "@milo-quota/kubernetes/protocol/metadata/managed-fields-rules.ts";
import type { FieldValidation } from "../../registry/object-request.ts";
import { managerOf } from "../../registry/patch/managed/manager-name.ts";
import { firstHeader } from "../access/authenticator.ts";
import { booleanParameter } from "./query.ts";

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly manager: string;
  readonly fieldValidation: FieldValidation;
  readonly force: boolean;
}

type OptionsKind = "CreateOptions" | "UpdateOptions" | "PatchOptions";

const fieldValidations = ["", "Ignore", "Strict", "Warn"];

export function parseWriteOptions(request: ApiRequest, kind: OptionsKind, isApply = false): WriteOptions {
  const { query } = request;
  if (query.size === 0 && !isApply) return defaultOptions(request);
  const dryRun = query.getAll("dryRun");
  const fieldManager = query.get("fieldManager") ?? "";
  const fieldValidation = query.get("fieldValidation") ?? "";
  const force = booleanParameter(query, "force");
  const issues: FieldIssue[] = [];
  if (isApply && fieldManager === "") issues.push(required("fieldManager", "is required for apply patch"));
  if (!isApply && kind === "PatchOptions" && force !== undefined) {
    issues.push(forbidden("force", "may not be specified for non-apply patch"));
  }
  issues.push(...managerIssues(fieldManager, "fieldManager"));
  if (dryRun.some((value) => value !== "All")) issues.push(notSupported("dryRun", dryRun, ["All"]));
  if (!fieldValidations.includes(fieldValidation)) {
    issues.push(notSupported("fieldValidation", fieldValidation, fieldValidations));
  }
  if (issues.length > 0) throw new StatusError(invalidObject({ group: "meta.k8s.io", kind }, "", issues));
  return {
    dryRun: dryRun.length > 0,
    manager: managerOf(fieldManager, firstHeader(request.headers, "user-agent")),
    fieldValidation: fieldValidation === "" ? "Warn" : (fieldValidation as FieldValidation),
    force: force ?? false,
  };
}

/** Hot: nearly all requests of programs have no options. */
function defaultOptions({ headers }: ApiRequest): WriteOptions {
  const manager = managerOf("", firstHeader(headers, "user-agent"));
  return { dryRun: false, manager, fieldValidation: "Warn", force: false };
}
