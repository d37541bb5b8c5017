/** What the program says to its caller; docs/reference/cli.md lists them. */
export const exitCodes = {
  /** Everything is as it should be. */
  fine: 0,
  /** The command worked, and its answer is no: problems were found, something differs or does not fit. */
  refused: 1,
  /** The command could not do its work: wrong arguments, unreadable files. */
  unusable: 2,
  /** No server answers, or nobody said which one to ask. */
  unreachable: 3,
  /** The server does not know who asks, does not let them, or shows them too little for an answer. */
  forbidden: 4,
  /** What was asked for is not there: an object, a control plane, a kind that nobody installed. */
  missing: 5,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
