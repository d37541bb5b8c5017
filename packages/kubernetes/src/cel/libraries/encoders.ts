import { bytesType, stringType } from "../cel-type.ts";
import { decodeBase64, encodeBase64 } from "../values/base64.ts";
import { Failure } from "../values/failure.ts";
import { textCost } from "./costs.ts";
import { type FunctionDeclaration, free, type Library } from "./library.ts";

const functions: readonly FunctionDeclaration[] = [
  {
    name: "base64.encode",
    overloads: [free([bytesType], stringType, encodeBase64, textCost)],
    summary: "Bytes as base64.",
    example: 'base64.encode(b"hello") == "aGVsbG8="',
  },
  {
    name: "base64.decode",
    overloads: [
      free(
        [stringType],
        bytesType,
        (text) => decodeBase64(text) ?? new Failure("conversion", "illegal base64 data"),
        textCost,
      ),
    ],
    summary: "The bytes of a base64 string, padded or not.",
    example: 'base64.decode("aGVsbG8") == b"hello"',
  },
];

export const encodersLibrary: Library = { name: "encoders", functions, macros: [] };
