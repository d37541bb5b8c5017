import { Optional, type Value } from "@milo-quota/kubernetes/cel/values/value.ts";
import type { JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { CompiledSchema } from "@milo-quota/kubernetes/schema/compiled-schema.ts";
import { inOrderOf } from "../objects/list-order.ts";
import type { CompiledRule } from "./compiled-rules.ts";

/** A value that rules look at, and what it was before. */
export interface RuleValue {
  readonly compiled: CompiledSchema;
  readonly self: JsonValue;
  readonly oldSelf: JsonValue | undefined;
}

/** What the variables of a rule or of its message stand for. */
export type RuleBindings = Readonly<Record<string, unknown>>;

/** For all rules that stand at one place. Putting the old value in order is for those who look at it. */
export class Bound {
  readonly hasOld: boolean;
  readonly #value: RuleValue;
  #old: JsonValue | undefined;

  constructor(value: RuleValue) {
    this.#value = value;
    this.hasOld = value.oldSelf !== undefined && value.oldSelf !== null;
  }

  ofRule(rule: CompiledRule): RuleBindings {
    const { self } = this.#value;
    return rule.usesOldSelf || rule.rule.optionalOldSelf === true ? this.ofMessage(rule) : { self };
  }

  /** A message may look at the old value although its rule does not. */
  ofMessage({ rule }: CompiledRule): RuleBindings {
    const { self } = this.#value;
    // Rules that ask for the old value as an optional run without one too.
    if (rule.optionalOldSelf === true) {
      return { self, oldSelf: this.hasOld ? new Optional(this.#oldInOrder() as Value) : Optional.none };
    }
    return this.hasOld ? { self, oldSelf: this.#oldInOrder() } : { self };
  }

  #oldInOrder(): JsonValue {
    const { compiled, self, oldSelf } = this.#value;
    this.#old ??= inOrderOf(compiled, self, oldSelf as JsonValue);
    return this.#old;
  }
}
