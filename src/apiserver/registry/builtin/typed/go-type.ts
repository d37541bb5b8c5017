/** The type that a field of a built-in kind has in Kubernetes; it decides what JSON it takes and what it looks like again. */
export type GoType =
  | { readonly form: "string" | "bool" | "int32" | "int64" | "float64" | "bytes"; readonly name: string }
  | { readonly form: "pointer"; readonly of: GoType }
  | { readonly form: "slice" | "map"; readonly of: GoType; readonly name: string }
  | { readonly form: "struct"; readonly name: string }
  /** With a JSON form of its own. */
  | { readonly form: "opaque"; readonly name: OpaqueName };

const opaqueNames = [
  "meta.v1.Time",
  "meta.v1.MicroTime",
  "meta.v1.FieldsV1",
  "resource.Quantity",
  "intstr.IntOrString",
  "runtime.RawExtension",
  "apiextensions.v1.JSON",
  "apiextensions.v1.JSONSchemaPropsOrBool",
  "apiextensions.v1.JSONSchemaPropsOrArray",
  "apiextensions.v1.JSONSchemaPropsOrStringArray",
] as const;

export type OpaqueName = (typeof opaqueNames)[number];

const scalars: Readonly<Record<string, GoType>> = {
  string: { form: "string", name: "string" },
  bool: { form: "bool", name: "bool" },
  int32: { form: "int32", name: "int32" },
  int64: { form: "int64", name: "int64" },
  float64: { form: "float64", name: "float64" },
};

/** Reads `[]core.v1.Container`; `named` gives what a type like `core.v1.PullPolicy` is underneath, undefined for structs. */
export function parseGoType(text: string, named: (name: string) => string | undefined): GoType {
  if (text === "[]byte") return { form: "bytes", name: "[]uint8" };
  if (text.startsWith("*")) return { form: "pointer", of: parseGoType(text.slice(1), named) };
  if (text.startsWith("[]")) {
    return { form: "slice", of: parseGoType(text.slice(2), named), name: goName(text) };
  }
  const map = /^map\[[^\]]+\](.*)$/.exec(text);
  if (map !== null) return { form: "map", of: parseGoType(map[1] as string, named), name: goName(text) };
  const scalar = scalars[text];
  if (scalar !== undefined) return scalar;
  const opaque = opaqueNames.find((name) => name === text);
  if (opaque !== undefined) return { form: "opaque", name: opaque };
  const underneath = named(text);
  return underneath === undefined ? { form: "struct", name: text } : renamed(parseGoType(underneath, named), text);
}

function renamed(type: GoType, text: string): GoType {
  return type.form === "pointer" || type.form === "opaque" ? type : { ...type, name: goName(text) };
}

/** As Go prints a type: with the last part of its package, `v1.PodSpec`. */
export function goName(text: string): string {
  return text.replace(/(?:\w+\.)+(\w+\.\w+)/g, "$1").replaceAll("[]byte", "[]uint8");
}

/** A pointer decodes and looks like what it points to, except that it may be missing. */
export function pointee(type: GoType): GoType {
  return type.form === "pointer" ? pointee(type.of) : type;
}
