import { Opaque } from "./opaque.ts";
import { Duration, isList, isMapping, Optional, Timestamp, TypeName, Uint, type Value } from "./value.ts";

export const timestampName = "google.protobuf.Timestamp";
export const durationName = "google.protobuf.Duration";
export const quantityName = "kubernetes.Quantity";
export const ipName = "net.IP";
export const cidrName = "net.CIDR";
export const urlName = "kubernetes.URL";
export const formatName = "kubernetes.NamedFormat";
export const semverName = "kubernetes.Semver";
export const optionalName = "optional_type";

/** The result of `type(x)`. */
export function typeNameOf(value: Value): string {
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "bigint":
      return "int";
    case "number":
      return "double";
    case "string":
      return "string";
    default:
      return objectTypeName(value);
  }
}

function objectTypeName(value: Value): string {
  if (value === null) return "null_type";
  if (isList(value)) return "list";
  if (isMapping(value)) return "map";
  if (value instanceof Uint) return "uint";
  if (value instanceof Uint8Array) return "bytes";
  if (value instanceof Timestamp) return timestampName;
  if (value instanceof Duration) return durationName;
  if (value instanceof Optional) return optionalName;
  if (value instanceof TypeName) return "type";
  return value instanceof Opaque ? value.typeName : "unknown";
}
