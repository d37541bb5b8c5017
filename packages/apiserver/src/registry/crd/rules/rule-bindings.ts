import { Optional, type Value } from "@milo-quota/kubernetes/cel/values/value.ts";
import type { JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { CompiledSchema } from "@milo-quota/kubernetes/schema/compiled-schema.ts";
import { reorderLike } from "../objects/list-order.ts";
import type { CompiledRule } from "./compiled-rules.ts";

/** A value that rules validate, and its old value. */
export interface RuleValue {
  readonly compiled: CompiledSchema;
  readonly self: JsonValue;
  readonly oldSelf: JsonValue | undefined;
}

/** The variables of a rule or of its message expression. */
export type RuleBindings = Readonly<Record<string, unknown>>;

/** The variables of all rules at one position. The old value is reordered only when a rule uses it. */
export class PositionBindings {
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

  /** A messageExpression may use the old value although its rule does not. */
  ofMessage({ rule }: CompiledRule): RuleBindings {
    const { self } = this.#value;
    // Rules with optionalOldSelf also run without an old value.
    if (rule.optionalOldSelf === true) {
      return { self, oldSelf: this.hasOld ? new Optional(this.#oldInOrder() as Value) : Optional.none };
    }
    return this.hasOld ? { self, oldSelf: this.#oldInOrder() } : { self };
  }

  #oldInOrder(): JsonValue {
    const { compiled, self, oldSelf } = this.#value;
    this.#old ??= reorderLike(compiled, self, oldSelf as JsonValue);
    return this.#old;
  }
}
