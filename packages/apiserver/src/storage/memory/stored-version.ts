import { readJson } from "@milo-quota/kubernetes/protocol/json-reader.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { LogRecord } from "../log/record-log.ts";
import type { ObjectKey } from "../object-key.ts";
import type { StoredObject } from "../stored-object.ts";
import { ParsedVersions } from "./parsed-versions.ts";
import type { CompressedText, TextCompressor } from "./text-compressor.ts";

export type Parsed = KubernetesObject & JsonObject;

/** A version at rest is no more than its text; what was parsed of it is held only while it is one of the latest. */
export class StoredVersion implements StoredObject {
  readonly key: ObjectKey;
  readonly revision: number;
  /** In short once it is at rest. */
  #text: string | CompressedText;
  /** Its object; without one, whom to tell when there is. One field for both: there are millions of versions. */
  #parsed: Parsed | ParsedVersions;

  constructor({ key, revision, text }: LogRecord, parsed: ParsedVersions) {
    this.key = key;
    this.revision = revision;
    this.#text = text;
    this.#parsed = parsed;
  }

  get text(): string {
    return typeof this.#text === "string" ? this.#text : this.#text.text;
  }

  get textLength(): number {
    return this.#text.length;
  }

  get object(): Parsed {
    return this.#parsed instanceof ParsedVersions
      ? this.hold(readJson(this.text) as unknown as Parsed, this.#parsed)
      : this.#parsed;
  }

  /** Takes what its text says for its object. */
  hold(object: Parsed, parsed: ParsedVersions): Parsed {
    this.#parsed = object;
    parsed.add(this);
    return object;
  }

  letGo(parsed: ParsedVersions): void {
    this.#parsed = parsed;
  }

  /** Takes less room from now on; its text takes a little longer to read. */
  rest(texts: TextCompressor): void {
    if (typeof this.#text === "string") this.#text = texts.of(this.key.resource, this.#text);
  }
}
