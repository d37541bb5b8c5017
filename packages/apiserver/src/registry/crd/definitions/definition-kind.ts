import { customResourceDefinition as plain } from "../../builtin/kinds/custom-resource-definition.ts";
import type { KindRules, ServedKind } from "../../kinds/served-kind.ts";
import { definitionRules } from "./crd-rules.ts";

/** CustomResourceDefinition, with all that one is held to. */
export const customResourceDefinition: ServedKind = withRules(plain, definitionRules);

/** A kind whose objects are prepared by its own rules first, and then by others. */
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
