import type { Draft, DraftObject } from "../../registry/builtin/typed/go-round-trip.ts";
import type { GoType, OpaqueName } from "../../registry/builtin/typed/go-type.ts";
import { type StructField, structOf } from "../../registry/builtin/typed/struct-table.ts";

/** The JSON that Go marshals for an empty struct: the fields without omitempty. */
export function zeroStruct(structName: string): DraftObject {
  const object: DraftObject = {};
  for (const { name, type } of unconditional(structName)) object[name] = zeroValue(type);
  return object;
}

/** Go's zero value. */
export function zeroValue(type: GoType): Draft {
  switch (type.form) {
    case "struct":
      return zeroStruct(type.name);
    case "opaque":
      return zeroCustomEncoding(type.name);
    case "string":
      return "";
    case "bool":
      return false;
    case "int32":
    case "int64":
    case "float64":
      return 0;
    default:
      return null;
  }
}

/** Whether Go omits a field from its JSON because of the decoded value. */
export function isOmitted({ type, omits }: StructField, value: Draft): boolean {
  if (omits === undefined || type.form === "pointer" || type.form === "struct") return false;
  if (type.form === "opaque") return omits === "omitzero" && value === null;
  return value === "" || value === 0 || value === false;
}

function zeroCustomEncoding(name: OpaqueName): Draft {
  if (name === "resource.Quantity") return "0";
  if (name === "intstr.IntOrString") return 0;
  return name === "apiextensions.v1.JSONSchemaPropsOrBool" ? false : null;
}

const found = new Map<string, readonly StructField[]>();

/** For Go structs are never empty, so `omitempty` has no effect on them. */
function unconditional(structName: string): readonly StructField[] {
  let fields = found.get(structName);
  if (fields === undefined) {
    fields = [...structOf(structName).fields.values()].filter(
      ({ type, omits }) =>
        omits === undefined || (omits === "omitempty" && (type.form === "struct" || type.form === "opaque")),
    );
    found.set(structName, fields);
  }
  return fields;
}
