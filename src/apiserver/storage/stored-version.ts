import { readJson } from "../../protocol/json-reader.ts";
import type { JsonObject } from "../../protocol/json-value.ts";
import { isJsonObject } from "../../protocol/json-value.ts";
import { writeJson } from "../../protocol/json-writer.ts";
import type { KubernetesObject } from "../../protocol/object-meta.ts";
import type { ObjectKey } from "./object-key.ts";
import type { StoredObject } from "./object-store.ts";

type Parsed = KubernetesObject & JsonObject;

/** A version at rest is little more than its text; what was parsed of it is kept only while it is recent. */
export class StoredVersion implements StoredObject {
  readonly key: ObjectKey;
  readonly revision: number;
  readonly text: string;
  #parsed: Parsed | "recent" | "old";

  constructor(key: ObjectKey, revision: number, text: string, age: "recent" | "old") {
    this.key = key;
    this.revision = revision;
    this.text = text;
    this.#parsed = age;
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

/** The text of an object under the revision that writes it. */
export function textAt(revision: number, object: JsonObject): string {
  const metadata = isJsonObject(object["metadata"]) ? object["metadata"] : {};
  const text = writeJson({ ...object, metadata: { ...metadata, resourceVersion: String(revision) } });
  // Reading a character also joins the small pieces that the engine's writer leaves, which take much more memory.
  if (text.charCodeAt(0) !== openBrace) throw new TypeError("what is stored is no object");
  return text;
}
