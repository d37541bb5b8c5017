/** Why a server cannot start, in words that say the way out. */
class StartFault extends Error {
  override readonly name = "StartFault";
}

/** What the operating system says, where it says no more than a code. */
const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "it is on a disk that is only read",
  ENOTDIR: "it is a file, or in one",
  EEXIST: "it is a file, or in one",
  ENOSPC: "the disk is full",
  ELOOP: "links lead in a circle",
};

/** What is wrong with a data folder; anything else stays as it is. */
export function folderFault(error: unknown, directory: string | undefined): unknown {
  const reason = reasons[codeOf(error)];
  if (directory === undefined || reason === undefined) return error;
  const message = `the data folder ${directory} cannot be used: ${reason}; choose another one with --data-dir`;
  return new StartFault(message, { cause: error });
}

/** What keeps a server from listening; anything else stays as it is. */
export function listeningFault(
  error: unknown,
  { host, port }: { readonly host: string; readonly port: number },
): unknown {
  const message = listeningMessage(codeOf(error), host, port);
  return message === undefined ? error : new StartFault(message, { cause: error });
}

function listeningMessage(code: string, host: string, port: number): string | undefined {
  switch (code) {
    case "EADDRINUSE":
      return `port ${port} of ${host} is in use by another program; end that program, or choose another port with --port`;
    case "EADDRNOTAVAIL":
      return `${host} is no address of this machine; choose one with --bind, such as 127.0.0.1, or 0.0.0.0 for all of them`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `nobody knows an address for the name ${host}; choose an address with --bind, such as 127.0.0.1`;
    case "EACCES":
      return `this user may not listen on port ${port}; choose one above 1023 with --port`;
    default:
      return undefined;
  }
}

function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException | undefined)?.code ?? "");
}
