/** What the program says to its caller; docs/reference/cli.md lists them. */
export const exitCodes = {
  /** Everything is as it should be. */
  fine: 0,
  /** The command worked, and its answer is no: manifests have problems, a policy does not work. */
  refused: 1,
  /** The command could not do its work: wrong arguments, unreadable files. */
  unusable: 2,
} as const;
