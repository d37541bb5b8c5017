/** What becomes of what does not fit, for the whole system: refused, let in and told of, or not even looked at. */
export const enforcements = ["Enforce", "Shadow", "Off"] as const;
export type Enforcement = (typeof enforcements)[number];

/** What is to be known by whoever relies on quota; nothing where it is enforced. */
export function laxityOf(enforcement: Enforcement): string | undefined {
  switch (enforcement) {
    case "Enforce":
      return undefined;
    case "Shadow":
      return "every policy only watches: nothing is refused for quota";
    case "Off":
      return "no policy is asked when objects are created: nothing is refused for quota";
    default:
      return enforcement satisfies never;
  }
}
