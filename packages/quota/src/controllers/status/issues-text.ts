import { type FieldIssue, issueText } from "@milo-quota/kubernetes/protocol/field-issue.ts";

/** Well below the maximum length of a condition message. */
const charactersMax = 8_192;

/** All issues as one message; if they are too many, the first ones and the number of the others. */
export function issuesText(issues: readonly FieldIssue[]): string {
  const texts = issues.map(issueText);
  let characters = 0;
  const shown = texts.filter((text) => {
    characters += text.length + 2;
    return characters <= charactersMax;
  });
  const more = texts.length - shown.length;
  return more === 0 ? texts.join("; ") : [...shown, `and ${more} more`].join("; ");
}
