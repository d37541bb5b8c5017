import {
  boolType,
  bytesType,
  cidrType,
  doubleType,
  durationType,
  dynType,
  intType,
  ipType,
  listType,
  mapType,
  nullType,
  optionalType,
  quantityType,
  runtimeName,
  stringType,
  type Type,
  timestampType,
  typeType,
  uintType,
} from "../cel-type.ts";

/** Types that expressions can name: `type(x) == int`. */
export const typeConstants: ReadonlyMap<string, Type> = new Map(
  [
    ...[boolType, bytesType, doubleType, intType, stringType, uintType, nullType, durationType, timestampType],
    ...[typeType, quantityType, ipType, cidrType, listType(dynType), mapType(dynType, dynType), optionalType(dynType)],
  ].map((type) => [runtimeName(type), type]),
);
