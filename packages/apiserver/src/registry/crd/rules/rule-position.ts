import { childPath, itemPath } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { isJsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { CompiledSchema } from "@milo-quota/kubernetes/schema/compiled-schema.ts";
import { Correlation } from "@milo-quota/kubernetes/schema/correlation.ts";
import type { RuleValue } from "./rule-bindings.ts";

/** The starting point of a walk through an object. */
export interface RuleRoot extends RuleValue {
  /** The path of the value. */
  readonly path: string;
  /** Whether unchanged invalid parts are tolerated. */
  readonly isRatcheting: boolean;
}

/** A value with its old value if they correlate, and the nearest ancestor that does. */
interface Match {
  readonly current: Correlation | undefined;
  readonly nearest: Correlation | undefined;
}

const unmatched: Match = { current: undefined, nearest: undefined };

/** A value in a walk through an object. Paths are built on demand, for failed rules only. */
export class RulePosition implements RuleValue {
  readonly compiled: CompiledSchema;
  readonly self: JsonValue;
  readonly oldSelf: JsonValue | undefined;
  readonly #from: RuleRoot | RulePosition;
  readonly #step: string | number;
  #match: Match | undefined;
  #matching: Correlation | undefined;

  private constructor(value: RuleValue, from: RuleRoot | RulePosition, step: string | number) {
    this.compiled = value.compiled;
    this.self = value.self;
    this.oldSelf = value.oldSelf;
    this.#from = from;
    this.#step = step;
  }

  static at(root: RuleRoot): RulePosition {
    return new RulePosition(root, root, "");
  }

  /** A field, or a member of a map. */
  field(name: string, compiled: CompiledSchema, self: JsonValue): RulePosition {
    const oldSelf = this.oldSelf !== undefined && isJsonObject(this.oldSelf) ? ownValue(this.oldSelf, name) : undefined;
    return new RulePosition({ compiled, self, oldSelf }, this, name);
  }

  item(index: number, compiled: CompiledSchema, self: JsonValue): RulePosition {
    return new RulePosition({ compiled, self, oldSelf: this.#oldItem(self) }, this, index);
  }

  get path(): string {
    const from = this.#from;
    if (!(from instanceof RulePosition)) return from.path;
    const isNamed = typeof this.#step === "string" && from.compiled.properties.has(this.#step);
    return isNamed ? childPath(from.path, String(this.#step)) : itemPath(from.path, this.#step);
  }

  /** Ratcheting: unchanged parts may violate rules that were added later. */
  get isUnchanged(): boolean {
    const { current, nearest } = this.#matched;
    return (current ?? nearest)?.isUnchanged === true;
  }

  get #matched(): Match {
    this.#match ??= this.#from instanceof RulePosition ? this.#below(this.#from) : matchOf(this.#from);
    return this.#match;
  }

  #below(above: RulePosition): Match {
    const { current, nearest } = above.#matched;
    if (current === undefined) return { current, nearest };
    const step = this.#step;
    if (typeof step === "number") return { current: current.item(step), nearest: current };
    // At the root the old apiVersion and kind are unknown: both states are presented in one version.
    const isHead = nearest === undefined && (step === "apiVersion" || step === "kind");
    return isHead ? unmatched : { current: current.field(step), nearest: current };
  }

  #oldItem(item: JsonValue): JsonValue | undefined {
    if (this.oldSelf === undefined) return undefined;
    this.#matching ??= new Correlation(this.compiled, this.self, this.oldSelf);
    return this.#matching.oldItem(item);
  }
}

function matchOf({ compiled, self, oldSelf, isRatcheting }: RuleRoot): Match {
  if (oldSelf === undefined || !isRatcheting) return unmatched;
  return { current: new Correlation(compiled, self, oldSelf), nearest: undefined };
}
