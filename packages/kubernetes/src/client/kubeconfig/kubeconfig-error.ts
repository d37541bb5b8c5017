/** An unusable configuration: what is wrong, where, and what to do. */
export class KubeconfigError extends Error {
  override readonly name = "KubeconfigError";
}

/** All problems at once, as in kubectl. */
export function invalidConfiguration(problems: readonly string[]): KubeconfigError {
  const [only] = problems;
  return new KubeconfigError(`invalid configuration: ${problems.length === 1 ? only : `[${problems.join(", ")}]`}`);
}

/** A short description of a file error. */
export function fileErrorText(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return "no such file or directory";
  if (code === "EACCES" || code === "EPERM") return "permission denied; make it readable for this user";
  if (code === "EISDIR") return "it is a directory";
  return message;
}
