import { dirname, isAbsolute, join, sep } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "../../protocol/json-value.ts";

/** A problem with its location in a file. */
export class EntryError extends Error {
  override readonly name = "EntryError";

  constructor(where: string, fault: string) {
    super(`${where}: ${fault}`);
  }
}

/** Reads one object of a kubeconfig, field by field. Unknown fields are ignored, as in kubectl. */
export class EntryReader {
  readonly #value: JsonObject;
  readonly #where: string;
  readonly #file: string;

  constructor(value: JsonValue | undefined, where: string, file: string) {
    if (value !== undefined && value !== null && !isJsonObject(value)) throw new EntryError(where, "must be an object");
    this.#value = value ?? {};
    this.#where = where;
    this.#file = file;
  }

  /** Names and tokens may look like numbers in YAML: the text counts. */
  text(field: string): string {
    const value = ownValue(this.#value, field);
    if (value === undefined || value === null) return "";
    if (typeof value === "object") throw this.fault(field, "must be a string");
    return String(value);
  }

  flag(field: string): boolean {
    const value = ownValue(this.#value, field);
    if (value === undefined || value === null) return false;
    if (typeof value !== "boolean") throw this.fault(field, "must be true or false");
    return value;
  }

  /** Relative to the directory of the kubeconfig. */
  path(field: string): string {
    return this.#resolved(this.text(field));
  }

  /** A command without a slash is searched in PATH; one with a slash is a path like any other. */
  program(field: string): string {
    const name = this.text(field);
    return name.includes(sep) ? this.#resolved(name) : name;
  }

  /** Decoded base64. */
  data(field: string): string {
    const text = this.text(field).replace(/\s/g, "");
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) throw this.fault(field, "is no valid base64");
    return Buffer.from(text, "base64").toString("utf8");
  }

  texts(field: string): readonly string[] {
    return this.#list(field).map((value, at) =>
      new EntryReader({ value }, `${this.#where}.${field}[${at}]`, "").text("value"),
    );
  }

  object(field: string): EntryReader | undefined {
    const value = ownValue(this.#value, field);
    return value === undefined || value === null
      ? undefined
      : new EntryReader(value, `${this.#where}.${field}`, this.#file);
  }

  objects(field: string): readonly EntryReader[] {
    return this.#list(field).map((value, at) => new EntryReader(value, this.#at(`${field}[${at}]`), this.#file));
  }

  textLists(field: string): Readonly<Record<string, readonly string[]>> {
    const reader = this.object(field);
    if (reader === undefined) return {};
    return Object.fromEntries(Object.keys(reader.#value).map((key) => [key, reader.texts(key)]));
  }

  json(field: string): JsonValue | undefined {
    return ownValue(this.#value, field);
  }

  fault(field: string, fault: string): EntryError {
    return new EntryError(this.#at(field), fault);
  }

  #at(field: string): string {
    return this.#where === "" ? field : `${this.#where}.${field}`;
  }

  #list(field: string): readonly JsonValue[] {
    const value = ownValue(this.#value, field);
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value)) throw this.fault(field, "must be a list");
    return value;
  }

  #resolved(path: string): string {
    return path === "" || isAbsolute(path) ? path : join(dirname(this.#file), path);
  }
}
