import { customResourceDefinition as plain } from "../../builtin/kinds/custom-resource-definition.ts";
import type { KindRules, ServedKind } from "../../kinds/served-kind.ts";
import { definitionRules } from "./crd-rules.ts";

/** CustomResourceDefinition with its validation. */
export const customResourceDefinition: ServedKind = withRules(plain, definitionRules);

/** A kind with additional rules, which run after its own. */
function withRules(kind: ServedKind, more: KindRules): ServedKind {
  const { read, prepareCreate: shapeNew, prepareUpdate: shapeChange, ...rules } = kind.rules;
  return Object.create(kind, {
    rules: {
      value: {
        ...rules,
        ...more,
        read: (object) => more.read?.(read?.(object) ?? object) ?? object,
        prepareCreate: (object) => more.prepareCreate?.(shapeNew?.(object) ?? object) ?? object,
        prepareUpdate: (object, old, part) =>
          more.prepareUpdate?.(shapeChange?.(object, old, part) ?? object, old, part) ?? object,
      } satisfies KindRules,
      enumerable: true,
    },
  }) as ServedKind;
}
