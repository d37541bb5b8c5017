import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { isJsonObject, type JsonObject } from "../protocol/json-value.ts";

/** An object in a file, and where. */
export interface Manifest {
  readonly file: string;
  /** From 1, in a file with several. */
  readonly position: number;
  readonly object: JsonObject;
}

/** A file or folder that cannot be read, or that holds something else than objects. */
export class ManifestError extends Error {
  override readonly name = "ManifestError";
}

const standardInput = 0;

/** Reads the objects of files and folders; `-` is the standard input. */
export function readManifests(paths: readonly string[]): readonly Manifest[] {
  return paths.flatMap((path) => (path === "-" ? readDocuments("-", readText(standardInput, "-")) : readPath(path)));
}

function readPath(path: string): readonly Manifest[] {
  const files = filesBelow(path);
  if (files.length === 0) throw new ManifestError(`${path} holds no .yaml, .yml or .json file`);
  return files.flatMap((file) => readDocuments(file, readText(file, file)));
}

function filesBelow(path: string): readonly string[] {
  try {
    if (!statSync(path).isDirectory()) return [path];
    const names = readdirSync(path, { recursive: true, encoding: "utf8" }).filter((name) =>
      /\.(ya?ml|json)$/.test(name),
    );
    return names.sort().map((name) => join(path, name));
  } catch (error) {
    throw new ManifestError(`cannot read ${path}: ${messageOf(error)}`);
  }
}

function readText(file: string | number, name: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new ManifestError(`cannot read ${name}: ${messageOf(error)}`);
  }
}

/** Amounts must not be rounded, so integers are read as bigints. */
function readDocuments(file: string, text: string): readonly Manifest[] {
  return [...parseAllDocuments(text, { intAsBigInt: true })].flatMap((document, index) => {
    const [fault] = document.errors;
    if (fault !== undefined) throw new ManifestError(`${file}: ${fault.message.trim()}`);
    const value: unknown = document.toJS();
    if (value === null || value === undefined) return [];
    if (!isJsonObject(value)) throw new ManifestError(`${file}: document ${index + 1} is not an object`);
    return [{ file, position: index + 1, object: value }];
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
