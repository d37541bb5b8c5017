import type { GoType, OpaqueName } from "../../registry/builtin/typed/go-type.ts";
import type { Draft, DraftObject } from "../../registry/builtin/typed/json-shape.ts";
import { type StructField, structOf } from "../../registry/builtin/typed/struct-table.ts";

/** What Go writes as JSON for a struct of which nothing was sent: the fields that it does not leave out. */
export function zeroStruct(structName: string): DraftObject {
  const object: DraftObject = {};
  for (const { name, type } of unconditional(structName)) object[name] = zeroValue(type);
  return object;
}

/** The value that Go gives to what was not sent. */
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

/** Whether Go leaves a field out of its JSON because of the value that was sent for it. */
export function isLeftOut({ type, omits }: StructField, value: Draft): boolean {
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

/** Structs are never empty to Go, so `omitempty` means nothing for them. */
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
