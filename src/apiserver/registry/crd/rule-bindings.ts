import { Optional, type Value } from "../../../cel/values/value.ts";
import type { JsonValue } from "../../../protocol/json-value.ts";
import type { CompiledSchema } from "../../../schema/compiled-schema.ts";
import { inOrderOf } from "./list-order.ts";

/** A value that rules look at, and what it was before. */
export interface RuleValue {
  readonly compiled: CompiledSchema;
  readonly self: JsonValue;
  readonly oldSelf: JsonValue | undefined;
}

/** What the variables of rules stand for. */
export interface Bound {
  readonly hasOld: boolean;
  readonly plain: Readonly<Record<string, unknown>>;
  /** For rules that ask for the old value as an optional, so that they run without one too. */
  readonly optional: Readonly<Record<string, unknown>>;
}

export function bindingsFor({ compiled, self, oldSelf }: RuleValue): Bound {
  if (oldSelf === undefined || oldSelf === null) {
    return { hasOld: false, plain: { self }, optional: { self, oldSelf: Optional.none } };
  }
  const old = inOrderOf(compiled, self, oldSelf);
  return { hasOld: true, plain: { self, oldSelf: old }, optional: { self, oldSelf: new Optional(old as Value) } };
}
