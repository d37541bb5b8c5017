// The vectors of the conformance suite that the tests skip, or whose results differ on purpose, each with its reason.

/** Suites that do not apply to the language over JSON. */
export const excludedSuites: Readonly<Record<string, string>> = {
  block_ext: "cel.block is created by optimizers and not written by hand",
  enums: "enums of protocol buffers; Kubernetes objects are JSON and have none",
  proto2: "messages of protocol buffers; Kubernetes objects are JSON and have none",
  proto2_ext: "extensions of such messages",
  proto3: "messages of protocol buffers",
  wrappers: "wrapper messages of protocol buffers",
};

const constructs = "constructs a message of protocol buffers";
const declares = "declares a variable or function of a message type";

/**
 * Every section of this suite creates messages, assigns to their fields and reads them; one vector binds a variable.
 */
const dynamicSections = [
  ...["int32", "int64", "uint32", "uint64", "float", "double", "bool", "string", "bytes", "list", "struct"],
  ...["value_null", "value_number", "value_string", "value_bool", "value_struct", "value_list"],
];

/** By name, or by prefix; all of them need messages. */
export const excludedVectors: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    dynamicSections.flatMap((section) => [
      [`dynamic/${section}/literal*`, constructs],
      [`dynamic/${section}/field_*`, "assigns to, or reads, the field of a message"],
    ]),
  ),
  "dynamic/any/*": "packs and unpacks google.protobuf.Any",
  "dynamic/complex/any_list_map": "packs and unpacks google.protobuf.Any",
  "comparisons/eq_wrapper/*": "compares fields of messages with wrapper messages",
  "comparisons/eq_literal/eq_dyn_json_null": constructs,
  "comparisons/eq_literal/not_eq_dyn_proto2_msg_null": constructs,
  "comparisons/eq_literal/not_eq_dyn_proto3_msg_null": constructs,
  "comparisons/ne_literal/ne_proto*": "compares messages",
  "optionals/optionals/has_optional_ofNonZeroValue_struct_optional_ofNonZeroValue_map_optindex_field": constructs,
  "optionals/optionals/optional_ofNonZeroValue_struct_optional_ofNonZeroValue_map_optindex_field": constructs,
  "optionals/optionals/struct_*": constructs,
  "optionals/optionals/empty_struct_optindex_hasValue": constructs,
  "optionals/optionals/optional_empty_struct_optindex_hasValue": constructs,
  "optionals/optionals/optional_struct_*": constructs,
  "parse/nest/message_literal": constructs,
  "parse/repeat/select": constructs,
  "parse/repeat/message_literal": constructs,
  "parse/whitespace/*": "white space inside the literal of a message",
  "parse/comments/*": "comments inside the literal of a message",
  "parse/struct_field_names/*": "names of fields in the literal of a message",
  "string_ext/format_errors/object not allowed": "formats a message",
  "string_ext/format_errors/object inside list": "formats a message",
  "string_ext/format_errors/object inside map": "formats a message",
  "type_deductions/complex_initializers/struct": constructs,
  "type_deductions/field_access/*": "reads fields of a message",
  "type_deductions/flexible_type_parameter_assignment/comprehension_type_var_aliasing": declares,
  "type_deductions/flexible_type_parameter_assignment/overload_type_var_aliasing": declares,
  "type_deductions/flexible_type_parameter_assignment/list_parameters_do_not_unify": declares,
  "type_deductions/wrappers/*": declares,
  "type_deductions/legacy_nullable_types/null_assignable_to_message_parameter_candidate": declares,
  "type_deductions/legacy_nullable_types/null_assignable_to_duration_parameter_candidate": declares,
  "type_deductions/legacy_nullable_types/null_assignable_to_timestamp_parameter_candidate": declares,
};

/** Run with the results of kube-apiserver 1.34 (cel-go 0.26), which differ from the vector's. */
export const answeredAsInKubernetes: Readonly<Record<string, string>> = {
  "optionals/optionals/map_null_entry_no_such_key":
    "an optional that holds null has no fields, rather than an error: labels are often null",
  "optionals/optionals/map_present_key_invalid_field": "an optional that holds a number has no fields either",
  "timestamps/duration_converters/get_milliseconds":
    "a duration's milliseconds are all it has, as are its hours, minutes and seconds",
};

/** Whether a name in one of the tables above matches a vector. */
export function means(name: string, path: string): boolean {
  return name.endsWith("*") ? path.startsWith(name.slice(0, -1)) : path === name;
}
