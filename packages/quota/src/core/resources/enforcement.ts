/** What the whole system does with requests over quota: reject, admit with a warning, or not check. */
export const enforcements = ["Enforce", "Shadow", "Off"] as const;
export type Enforcement = (typeof enforcements)[number];

/** What users should know when quota is not enforced; undefined when it is. */
export function enforcementNotice(enforcement: Enforcement): string | undefined {
  switch (enforcement) {
    case "Enforce":
      return undefined;
    case "Shadow":
      return "policies only report what they would reject, and quota rejects nothing";
    case "Off":
      return "policies are not evaluated, and quota rejects nothing";
    default:
      return enforcement satisfies never;
  }
}
