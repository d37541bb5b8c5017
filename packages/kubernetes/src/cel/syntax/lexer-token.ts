export type Token =
  | { readonly kind: "name" | "symbol" | "end"; readonly text: string; readonly offset: number }
  | { readonly kind: "int" | "uint" | "double"; readonly text: string; readonly offset: number }
  | { readonly kind: "string" | "quoted-name"; readonly text: string; readonly value: string; readonly offset: number }
  | { readonly kind: "bytes"; readonly text: string; readonly value: Uint8Array; readonly offset: number };

/** Words with a meaning. */
export const keywords: ReadonlySet<string> = new Set(["in", "true", "false", "null"]);

/** Words reserved by the language: valid as field names, not as variables or functions. */
export const reservedWords: ReadonlySet<string> = new Set([
  ...["as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop", "package"],
  ...["namespace", "return", "var", "void", "while"],
]);
