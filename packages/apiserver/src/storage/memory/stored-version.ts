import { readJson } from "@milo-quota/kubernetes/protocol/json-reader.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { LogRecord } from "../log/record-log.ts";
import type { ObjectKey } from "../object-key.ts";
import type { StoredObject } from "../stored-object.ts";
import { ParsedVersions } from "./parsed-versions.ts";
import type { CompressedText, TextCompressor } from "./text-compressor.ts";

export type ParsedObject = KubernetesObject & JsonObject;

/** One version of an object. Only its text is kept permanently; the parsed object is cached for recent versions. */
export class StoredVersion implements StoredObject {
  readonly key: ObjectKey;
  readonly revision: number;
  /** Compressed once the version is evicted from the cache. */
  #text: string | CompressedText;
  /** The parsed object, or else the cache to add it to. One field for both: there are millions of versions. */
  #parsed: ParsedObject | ParsedVersions;

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

  get object(): ParsedObject {
    return this.#parsed instanceof ParsedVersions
      ? this.cacheParsed(readJson(this.text) as unknown as ParsedObject, this.#parsed)
      : this.#parsed;
  }

  /** Caches the object that its text was serialized from. */
  cacheParsed(object: ParsedObject, parsed: ParsedVersions): ParsedObject {
    this.#parsed = object;
    parsed.add(this);
    return object;
  }

  dropParsed(parsed: ParsedVersions): void {
    this.#parsed = parsed;
  }

  /** Compresses the text, which saves memory and makes reading a little slower. */
  compress(texts: TextCompressor): void {
    if (typeof this.#text === "string") this.#text = texts.of(this.key.resource, this.#text);
  }
}
