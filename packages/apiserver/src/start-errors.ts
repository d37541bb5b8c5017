/** Why a server cannot start, with advice. */
class StartError extends Error {
  override readonly name = "StartError";
}

/** Explanations of system error codes. */
const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "it is on a read-only file system",
  ENOENT: "it cannot be created there",
  ENOTDIR: "it is not a directory",
  EEXIST: "it is not a directory",
  ENOSPC: "the disk is full",
  ELOOP: "too many levels of symbolic links",
  SQLITE_CANTOPEN: "its database cannot be opened",
  SQLITE_READONLY: "its database cannot be written",
};

/** Explains errors of the data directory; returns other errors unchanged. */
export function dataDirectoryError(error: unknown, directory: string | undefined): unknown {
  const reason = reasons[codeOf(error)];
  if (directory === undefined || reason === undefined) return error;
  const message = `the data directory ${directory} cannot be used: ${reason}; choose another one with --data-dir`;
  return new StartError(message, { cause: error });
}

/** Explains errors of listening; returns other errors unchanged. */
export function listenError(error: unknown, { host, port }: { readonly host: string; readonly port: number }): unknown {
  const message = listeningMessage(codeOf(error), host, port);
  return message === undefined ? error : new StartError(message, { cause: error });
}

function listeningMessage(code: string, host: string, port: number): string | undefined {
  switch (code) {
    case "EADDRINUSE":
      return `port ${port} of ${host} is in use by another program; stop that program, or choose another port with --port`;
    case "EADDRNOTAVAIL":
      return `${host} is not an address of this machine; choose one with --bind, such as 127.0.0.1, or 0.0.0.0 for all of them`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `the host name ${host} cannot be resolved; choose an address with --bind, such as 127.0.0.1`;
    case "EACCES":
      return `permission denied to listen on port ${port}; choose one above 1023 with --port`;
    default:
      return undefined;
  }
}

function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException | undefined)?.code ?? "");
}
