import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileErrorText } from "@milo-quota/kubernetes/client/kubeconfig/kubeconfig-error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { parseAllDocuments } from "yaml";

/** An object in a file, and its position there. */
export interface Manifest {
  readonly file: string;
  /** Which document of the file, from 1, and which item of a list. */
  readonly position: string;
  readonly object: JsonObject;
}

/** The objects in some files, and the errors of files that cannot be read. */
export interface Manifests {
  readonly manifests: readonly Manifest[];
  readonly unreadable: readonly string[];
}

const stdin = 0;

/** Reads all objects in files and directories; `-` is stdin. One bad file does not hide the others. */
export function readManifests(paths: readonly string[]): Manifests {
  const manifests: Manifest[] = [];
  const unreadable: string[] = [];
  for (const path of paths) {
    for (const file of attempt(() => filesBelow(path), `cannot read ${path}`, unreadable) ?? []) {
      const text = attempt(() => readFileSync(file === "-" ? stdin : file, "utf8"), `cannot read ${file}`, unreadable);
      manifests.push(...(attempt(() => documentsOf(file, text ?? ""), file, unreadable) ?? []));
    }
  }
  return { manifests, unreadable };
}

function attempt<Result>(run: () => Result, subject: string, errors: string[]): Result | undefined {
  try {
    return run();
  } catch (error) {
    errors.push(`${subject}: ${fileErrorText(error).trim()}`);
    return undefined;
  }
}

function filesBelow(path: string): readonly string[] {
  if (path === "-" || !statSync(path).isDirectory()) return [path];
  const names = readdirSync(path, { recursive: true, encoding: "utf8" }).filter((name) => /\.(ya?ml|json)$/.test(name));
  if (names.length === 0) throw new Error("the directory has no .yaml, .yml or .json files");
  return names.sort().map((name) => join(path, name));
}

/** Integers are parsed as bigints, so that large amounts are not rounded. */
function documentsOf(file: string, text: string): readonly Manifest[] {
  return [...parseAllDocuments(text, { intAsBigInt: true })].flatMap((document, index) => {
    const [fault] = document.errors;
    if (fault !== undefined) throw fault;
    return objectsOf(document.toJS() as JsonValue, file, `${index + 1}`);
  });
}

/** Expands lists, such as those that `kubectl get -o yaml` prints. */
function objectsOf(value: JsonValue, file: string, position: string): readonly Manifest[] {
  if (value === null || value === undefined) return [];
  if (!isJsonObject(value)) throw new Error(`document ${position} is not an object`);
  const { kind, items } = value;
  if (typeof kind !== "string" || !kind.endsWith("List") || !Array.isArray(items))
    return [{ file, position, object: value }];
  return items.flatMap((item: JsonValue, index) => objectsOf(item, file, `${position}.${index + 1}`));
}
