import { isPrimitive, type Type } from "../cel-type.ts";

/** The type's parameters. */
export function partsOf(type: Type): readonly Type[] {
  switch (type.kind) {
    case "list":
      return [type.element];
    case "map":
      return [type.key, type.value];
    case "opaque":
      return type.parameters;
    case "type":
      return type.of === undefined ? [] : [type.of];
    default:
      return [];
  }
}

function nameOf(type: Type): string {
  return "name" in type ? type.name : "";
}

/** Whether two types have the same constructor, ignoring their parameters. */
export function sameShape(left: Type, right: Type): boolean {
  return left.kind === right.kind && nameOf(left) === nameOf(right) && partsOf(left).length === partsOf(right).length;
}

export function sameType(left: Type, right: Type): boolean {
  if (left === right) return true;
  if (left.kind === "wrapper" && right.kind === "wrapper") return left.of === right.of;
  return sameShape(left, right) && partsOf(left).every((part, index) => sameType(part, partsOf(right)[index] as Type));
}

/** The more general of two compatible types: `dyn` rather than int, "int or null" rather than int. */
export function moreGeneral(left: Type, right: Type): Type {
  return isAtLeastAsGeneral(left, right) ? left : right;
}

function isAtLeastAsGeneral(left: Type, right: Type): boolean {
  if (left.kind === "dyn" || left.kind === "parameter") return true;
  if (right.kind === "dyn" || right.kind === "parameter") return false;
  if (right.kind === "null" && isNullable(left)) return true;
  if (left.kind === "wrapper") return right.kind === "wrapper" || (isPrimitive(right) && right.kind === left.of);
  if (!sameShape(left, right)) return false;
  return partsOf(left).every((part, index) => isAtLeastAsGeneral(part, partsOf(right)[index] as Type));
}

/** Besides nullable primitives, everything that is a message in protocol buffers may be null. */
export function isNullable(type: Type): boolean {
  return ["wrapper", "opaque", "object", "timestamp", "duration", "null"].includes(type.kind);
}
