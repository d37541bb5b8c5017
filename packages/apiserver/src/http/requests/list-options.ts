import { failure, invalidObject, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import {
  type FieldIssue,
  forbidden,
  invalid,
  issueText,
  notSupported,
} from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import { parseFieldSelector } from "@milo-quota/kubernetes/protocol/selectors/field-selector.ts";
import {
  parseSelectorText,
  type SelectorResult,
} from "@milo-quota/kubernetes/protocol/selectors/label-selector-text.ts";
import { checkFields, type Selectors } from "../../registry/field-values.ts";
import type { ServedKind } from "../../registry/kinds/served-kind.ts";
import { booleanParameter, integerParameter } from "./query.ts";

/** The query options of a list or a watch. */
export interface ListOptions {
  readonly selection: Selectors;
  readonly limit: number;
  readonly continueToken: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly watch: boolean;
  readonly sendInitialEvents: boolean | undefined;
  readonly allowBookmarks: boolean;
  readonly timeoutSeconds: number | undefined;
}

const exact = "Exact";
const notOlderThan = "NotOlderThan";

export function parseListOptions(query: URLSearchParams, kind: ServedKind, name: string): ListOptions {
  const options: ListOptions = {
    selection: selectionOf(query, kind, name),
    limit: integerParameter(query, "limit") ?? 0,
    continueToken: query.get("continue") ?? "",
    resourceVersion: query.get("resourceVersion") ?? "",
    resourceVersionMatch: query.get("resourceVersionMatch") ?? "",
    watch: booleanParameter(query, "watch") ?? false,
    sendInitialEvents: booleanParameter(query, "sendInitialEvents"),
    allowBookmarks: booleanParameter(query, "allowWatchBookmarks") ?? false,
    timeoutSeconds: integerParameter(query, "timeoutSeconds"),
  };
  rejectRevisionWithContinue(options);
  const issues = options.watch ? watchIssues(options) : listIssues(options);
  if (issues.length > 0) {
    throw new StatusError(invalidObject({ group: "meta.k8s.io", kind: "ListOptions" }, "", issues));
  }
  return options;
}

/** A continue token carries its own revision. */
function rejectRevisionWithContinue({
  watch,
  continueToken,
  resourceVersion,
  resourceVersionMatch,
}: ListOptions): void {
  const isNamed = resourceVersion !== "" && resourceVersion !== "0";
  if (watch || continueToken === "" || !isNamed || resourceVersionMatch !== "") return;
  throw new StatusError(failure("BadRequest", "specifying resource version is not allowed when using continue"));
}

/** A resourceVersion that is not a number. Kubernetes' answer differs between operations. */
export class BadRevision extends Error {
  override readonly name = "BadRevision";

  constructor(text: string) {
    super(issueText(invalid("resourceVersion", text, `strconv.ParseUint: parsing ${quote(text)}: invalid syntax`)));
  }
}

/** The revision in an option; 0 when it is absent. */
export function revisionParameter(text: string): number {
  if (text === "") return 0;
  if (/^[0-9]+$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text);
  throw new BadRevision(text);
}

/** The exact revision that a list must have, if any. */
export function exactRevision(options: ListOptions): number | undefined {
  const { resourceVersion, resourceVersionMatch, limit, continueToken } = options;
  if (resourceVersion === "" || resourceVersion === "0" || continueToken !== "") return undefined;
  const isExact = resourceVersionMatch === exact || (resourceVersionMatch === "" && limit > 0);
  return isExact ? revisionParameter(resourceVersion) : undefined;
}

function selectionOf(query: URLSearchParams, kind: ServedKind, name: string): Selectors {
  const labels = parsed(parseSelectorText(query.get("labelSelector") ?? ""));
  const fields = parsed(parseFieldSelector(query.get("fieldSelector") ?? ""));
  checkFields(fields, kind);
  if (name === "") return { labels, fields };
  if (fields.some(({ field, operator, value }) => field !== "metadata.name" || operator !== "=" || value !== name)) {
    throw new StatusError(failure("BadRequest", "fieldSelector metadata.name doesn't match requested name"));
  }
  return { labels, fields: [{ field: "metadata.name", operator: "=", value: name }] };
}

function parsed<Value>(result: SelectorResult<Value>): Value {
  if (result.ok) return result.value;
  throw new StatusError(failure("BadRequest", result.message));
}

function listIssues(options: ListOptions): readonly FieldIssue[] {
  const { resourceVersionMatch: match, resourceVersion, continueToken, sendInitialEvents } = options;
  const at = "resourceVersionMatch";
  const issues: FieldIssue[] = [];
  if (match !== "") {
    if (resourceVersion === "") issues.push(forbidden(at, `${at} is forbidden unless resourceVersion is provided`));
    if (continueToken !== "") issues.push(forbidden(at, `${at} is forbidden when continue is provided`));
    if (match !== exact && match !== notOlderThan) issues.push(notSupported(at, match, [exact, notOlderThan, ""]));
    if (match === exact && resourceVersion === "0") {
      issues.push(forbidden(at, `${at} "exact" is forbidden for resourceVersion "0"`));
    }
  }
  if (sendInitialEvents !== undefined) {
    issues.push(forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
  return issues;
}

function watchIssues(options: ListOptions): readonly FieldIssue[] {
  const { resourceVersionMatch: match, continueToken, sendInitialEvents } = options;
  const at = "resourceVersionMatch";
  const issues: FieldIssue[] = [];
  if (sendInitialEvents !== undefined && match !== notOlderThan) {
    issues.push(forbidden(at, `sendInitialEvents requires setting ${at} to ${notOlderThan}`));
  }
  if (match !== "") {
    if (sendInitialEvents === undefined) {
      issues.push(forbidden(at, `${at} is forbidden for watch unless sendInitialEvents is provided`));
    }
    if (match !== notOlderThan) issues.push(notSupported(at, match, [notOlderThan]));
    if (continueToken !== "") issues.push(forbidden(at, `${at} is forbidden when continue is provided`));
  }
  return issues;
}
