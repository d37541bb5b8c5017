import { readJson } from "../../protocol/json-reader.ts";
import type { JsonObject } from "../../protocol/json-value.ts";
import { isJsonObject } from "../../protocol/json-value.ts";
import { writeJson } from "../../protocol/json-writer.ts";
import type { KubernetesObject } from "../../protocol/object-meta.ts";
import type { ObjectKey } from "./object-key.ts";
import type { StoredObject } from "./object-store.ts";

type Parsed = KubernetesObject & JsonObject;

/** What is known of a version besides its text: the object that the text was made from, or how old it is. */
export type Known = Parsed | "recent" | "old";

/** A version at rest is little more than its text; what was parsed of it is kept only while it is recent. */
export class StoredVersion implements StoredObject {
  readonly key: ObjectKey;
  readonly revision: number;
  readonly text: string;
  #parsed: Known;

  constructor(key: ObjectKey, revision: number, text: string, known: Known) {
    this.key = key;
    this.revision = revision;
    this.text = text;
    this.#parsed = known;
  }

  get object(): Parsed {
    if (typeof this.#parsed === "object") return this.#parsed;
    const parsed = readJson(this.text) as unknown as Parsed;
    if (this.#parsed === "recent") this.#parsed = parsed;
    return parsed;
  }

  /** Lets go of the parsed object. */
  age(): void {
    this.#parsed = "old";
  }
}

const openBrace = 0x7b;

/** An object under the revision that writes it. */
export function objectAt(revision: number, object: JsonObject): Parsed {
  const metadata = isJsonObject(object["metadata"]) ? object["metadata"] : {};
  return { ...(object as Parsed), metadata: { ...metadata, resourceVersion: String(revision) } };
}

export function textOf(object: Parsed): string {
  const text = writeJson(object);
  // Reading a character also joins the small pieces that the engine's writer leaves, which take much more memory.
  if (text.charCodeAt(0) !== openBrace) throw new TypeError("what is stored is no object");
  return text;
}
