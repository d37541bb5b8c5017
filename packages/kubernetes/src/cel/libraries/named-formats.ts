import { listType, namedFormatType, optionalType, stringType } from "../cel-type.ts";
import { type NamedFormat, namedFormats } from "../values/named-format.ts";
import { ListValue, Optional } from "../values/value.ts";
import { callCost, readingCost, tenth } from "./costs.ts";
import { type FunctionDeclaration, free, type Library, method } from "./library.ts";

function validate(format: NamedFormat, text: string): Optional {
  const problems = format.validate(text);
  return problems.length === 0 ? Optional.none : new Optional(new ListValue(problems));
}

/** Charged like a pattern match. */
function validationCost({ weight }: NamedFormat, text: string): number {
  return tenth(1 + text.length) * Math.ceil(weight / 4);
}

/** A valid example for each; an invalid value has a list of problems. */
const valid: Readonly<Record<string, string>> = {
  dns1123Label: "my-name",
  dns1123Subdomain: "example.com",
  dns1035Label: "my-name",
  qualifiedName: "example.com/MyName",
  dns1123LabelPrefix: "my-",
  dns1123SubdomainPrefix: "my.name-",
  dns1035LabelPrefix: "my-",
  labelValue: "my_value",
  uri: "https://example.com/",
  uuid: "123e4567-e89b-12d3-a456-426614174000",
  byte: "aGVsbG8=",
  date: "2021-01-01",
  datetime: "2021-01-01T00:00:00Z",
};

const constants = Array.from(namedFormats, ([name, format]): FunctionDeclaration => {
  return {
    name: `format.${name}`,
    overloads: [free([], namedFormatType, () => format, callCost)],
    summary: `The format ${name}.`,
    example: `!format.${name}().validate("${valid[name]}").hasValue()`,
  };
});

const functions: readonly FunctionDeclaration[] = [
  {
    name: "validate",
    overloads: [method([namedFormatType, stringType], optionalType(listType(stringType)), validate, validationCost)],
    summary: "The problems of a string, as an optional list of messages; empty if it is valid.",
    example: 'format.dns1123Label().validate("My_name").hasValue()',
  },
  {
    name: "format.named",
    overloads: [
      free([stringType], optionalType(namedFormatType), (name) => new Optional(namedFormats.get(name)), readingCost),
    ],
    summary: "The format with this name, as an optional.",
    example: 'format.named("uuid").hasValue() && !format.named("other").hasValue()',
  },
  ...constants,
];

export const namedFormatsLibrary: Library = { name: "formats", functions, macros: [] };
