import { renderIssue } from "@milo-quota/kubernetes/cel/issue.ts";
import { type FieldIssue, invalid } from "@milo-quota/kubernetes/protocol/field-issue.ts";

/** An issue of an expression or template as an issue of its field, with line, column and a caret. */
export function expressionIssue(
  path: string,
  source: string,
  issue: { readonly message: string; readonly offset: number },
): FieldIssue {
  return invalid(path, source, renderIssue(source, issue));
}
