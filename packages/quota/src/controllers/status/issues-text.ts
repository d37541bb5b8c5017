import { type FieldIssue, issueText } from "@milo-quota/kubernetes/protocol/field-issue.ts";

/** A condition may say so much, and is read by people. */
const charactersMax = 8_192;

/** All issues in one sentence; where they are too many, the first ones, and how many more there are. */
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
