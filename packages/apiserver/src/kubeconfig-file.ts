import { readFileSync, realpathSync } from "node:fs";
import { type Document, isMap, isSeq, parseDocument } from "yaml";
import { writePrivateFile } from "./storage/secret-file.ts";

/** How to reach a server, and as whom. */
export interface ServerAccess {
  readonly server: string;
  /** The authority of its certificate, as PEM. */
  readonly authority: string;
  readonly token: string;
}

/** A file that people would lose something by if it were written over, or that cannot be written. */
class KubeconfigFileFault extends Error {
  override readonly name = "KubeconfigFileFault";
}

/** Of the cluster, the context and, with it, the user: entries of other names are somebody else's. */
export const contextName = "milo-quota";
const userName = "milo-quota-admin";
const wayOut = "choose another file with --kubeconfig, or move this one away";

/** Throws if there is a file that is none of these: to be asked before anything else is done. */
export function requireKubeconfig(path: string): void {
  readDocument(path);
}

/**
 * Writes how to reach the server into a kubeconfig file, beside what is there, comments included. Tells whether kubectl goes
 * to this server by it: another context that somebody chose stays chosen.
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

/** Undefined when there is no file, or nothing in it. */
function readDocument(path: string): Document | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(String((error as NodeJS.ErrnoException).code))) return undefined;
    throw new KubeconfigFileFault(`the kubeconfig ${path} cannot be read: ${(error as Error).message}; ${wayOut}`);
  }
  if (text.trim() === "") return undefined;
  const document = parseDocument(text);
  const [fault] = document.errors;
  if (fault !== undefined) throw none(path, fault.message.split("\n", 1)[0] ?? "");
  if (!isMap(document.contents)) throw none(path, "it is no object");
  const kind = document.get("kind");
  if (kind !== undefined && kind !== "Config") throw none(path, `its kind is ${String(kind)}`);
  for (const list of ["clusters", "users", "contexts"]) {
    const found = document.get(list);
    if (found !== undefined && found !== null && !isSeq(found)) throw none(path, `its ${list} are no list`);
  }
  return document;
}

/** What was JSON, as we write it ourselves, is JSON again. */
function textOf(document: Document): string {
  const isJson = isMap(document.contents) && document.contents.flow === true && document.commentBefore === null;
  return isJson ? `${JSON.stringify(document.toJS(), null, 2)}\n` : document.toString({ lineWidth: 0 });
}

function none(path: string, because: string): KubeconfigFileFault {
  return new KubeconfigFileFault(`${path} is no kubeconfig (${because}), and is left as it is; ${wayOut}`);
}

function setEntry(document: Document, list: string, entry: { readonly name: string }, path: string): void {
  const found = document.get(list);
  if (found === undefined || found === null) document.set(list, document.createNode([entry]));
  else if (isSeq(found)) {
    const at = found.items.findIndex((item) => isMap(item) && item.get("name") === entry.name);
    if (at === -1) found.add(document.createNode(entry));
    else found.set(at, document.createNode(entry));
  } else throw none(path, `its ${list} are no list`);
}

function hasContext(document: Document, name: unknown): boolean {
  const contexts = document.get("contexts");
  return isSeq(contexts) && contexts.items.some((item) => isMap(item) && item.get("name") === name);
}

/** Where a link leads to is written, and the link stays. */
function writeFile(path: string, text: string): void {
  try {
    writePrivateFile(realPath(path), text);
  } catch (error) {
    throw new KubeconfigFileFault(`the kubeconfig ${path} cannot be written: ${(error as Error).message}; ${wayOut}`);
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // it is not there yet, or whoever writes to it will say what is wrong
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
