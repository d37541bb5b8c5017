import { readFileSync, realpathSync, statSync } from "node:fs";
import { type Document, isMap, isSeq, parseDocument } from "yaml";
import { writePrivateFile } from "./storage/secret-file.ts";

/** How to reach a server, with credentials. */
export interface ServerAccess {
  readonly server: string;
  /** The CA certificate of the server, as PEM. */
  readonly authority: string;
  readonly token: string;
}

/** A file that cannot be written, or that must not be overwritten. */
class KubeconfigFileError extends Error {
  override readonly name = "KubeconfigFileError";
}

/** Name of the cluster, the context and the user; entries of other names are left alone. */
export const contextName = "milo-quota";
const userName = "milo-quota-admin";
const advice = "choose another file with --kubeconfig, or move this one away";

/** Throws if the file exists and is not a kubeconfig. To be called before anything else is done. */
export function requireKubeconfig(path: string): void {
  readDocument(path);
}

/**
 * Adds the server to a kubeconfig file, preserving other content and comments. Returns whether the current context is
 * this server's: a current context that was set already stays.
 */
export function writeKubeconfig(path: string, access: ServerAccess): { readonly isCurrent: boolean } {
  const document = readDocument(path);
  if (document === undefined) {
    writeFile(path, `${JSON.stringify(newKubeconfig(access), null, 2)}\n`);
    return { isCurrent: true };
  }
  const { clusters, users, contexts } = newKubeconfig(access);
  for (const [list, [entry]] of Object.entries({ clusters, users, contexts })) setEntry(document, list, entry, path);
  const isCurrent = !hasContext(document, document.get("current-context"));
  if (isCurrent) document.set("current-context", contextName);
  writeFile(path, textOf(document));
  return { isCurrent: isCurrent || document.get("current-context") === contextName };
}

/** Undefined when the file does not exist or is empty. */
function readDocument(path: string): Document | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(String((error as NodeJS.ErrnoException).code))) return undefined;
    throw new KubeconfigFileError(`the kubeconfig ${path} cannot be read: ${(error as Error).message}; ${advice}`);
  }
  if (text.trim() === "") return undefined;
  const document = parseDocument(text);
  const [fault] = document.errors;
  if (fault !== undefined) throw none(path, fault.message.split("\n", 1)[0] ?? "");
  if (!isMap(document.contents)) throw none(path, "it is not an object");
  const kind = document.get("kind");
  if (kind !== undefined && kind !== "Config") throw none(path, `its kind is ${String(kind)}`);
  for (const list of ["clusters", "users", "contexts"]) {
    const found = document.get(list);
    if (found !== undefined && found !== null && !isSeq(found)) throw none(path, `its ${list} are not a list`);
  }
  return document;
}

/** A JSON file, as written by this program, stays JSON. */
function textOf(document: Document): string {
  const isJson = isMap(document.contents) && document.contents.flow === true && document.commentBefore === null;
  return isJson ? `${JSON.stringify(document.toJS(), null, 2)}\n` : document.toString({ lineWidth: 0 });
}

function none(path: string, because: string): KubeconfigFileError {
  return new KubeconfigFileError(`${path} is not a kubeconfig (${because}) and was not changed; ${advice}`);
}

function setEntry(document: Document, list: string, entry: { readonly name: string }, path: string): void {
  const found = document.get(list);
  if (found === undefined || found === null) document.set(list, document.createNode([entry]));
  else if (isSeq(found)) {
    const at = found.items.findIndex((item) => isMap(item) && item.get("name") === entry.name);
    if (at === -1) found.add(document.createNode(entry));
    else found.set(at, document.createNode(entry));
  } else throw none(path, `its ${list} are not a list`);
}

function hasContext(document: Document, name: unknown): boolean {
  const contexts = document.get("contexts");
  return isSeq(contexts) && contexts.items.some((item) => isMap(item) && item.get("name") === name);
}

/**
 * Writes to the target of a symbolic link, and keeps the link. An unchanged file is not written, so that a server starts on
 * a full disk.
 */
function writeFile(path: string, text: string): void {
  try {
    if (isContent(path, text)) return;
    writePrivateFile(realPath(path), text);
  } catch (error) {
    throw new KubeconfigFileError(`the kubeconfig ${path} cannot be written: ${(error as Error).message}; ${advice}`);
  }
}

/** Whether the file has this content, for its owner only. */
function isContent(path: string, text: string): boolean {
  const { mode } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return mode !== undefined && (mode & 0o077) === 0 && readFileSync(path, "utf8") === text;
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // it does not exist yet, or the write will fail with a better error
  }
}

function newKubeconfig({ server, authority, token }: ServerAccess) {
  const certificateData = Buffer.from(authority).toString("base64");
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: contextName, cluster: { server, "certificate-authority-data": certificateData } }],
    users: [{ name: userName, user: { token } }],
    contexts: [{ name: contextName, context: { cluster: contextName, user: userName } }],
    "current-context": contextName,
  } as const;
}
