/** Exit codes of every command; docs/reference/cli.md lists them. */
export const exitCodes = {
  success: 0,
  /** The command worked and its answer is no: problems were found, or something differs or does not fit. */
  negative: 1,
  /** The command could not run: invalid arguments or unreadable files. */
  usageError: 2,
  /** The server cannot be reached, or none is configured. */
  unreachable: 3,
  /** The server rejects the credentials or the request, or the user can read too little for an answer. */
  forbidden: 4,
  /** The requested object, control plane or kind does not exist. */
  notFound: 5,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
