import { CST, Lexer } from "yaml";

/**
 * How deep a YAML text may be nested at most, found without going into it. The parser calls itself for every level, and
 * a text that uses up the stack takes the whole process with it: regular expressions that are compiled at the very end
 * of the stack end Node.
 */
export function yamlDepthBound(text: string): number {
  let [deepest, brackets, marks, columns] = [0, 0, 0, 0];
  let isLineStart = true;
  for (const lexeme of new Lexer().lex(text)) {
    const type = CST.tokenType(lexeme);
    if (type === "newline") [marks, columns, isLineStart] = [0, 0, true];
    // Every level of a block is indented further than the one around it, or begun by a mark on the same line.
    else if (type === "space" && isLineStart) columns = lexeme.length;
    else {
      brackets = Math.max(0, brackets + bracketStep(type));
      if (type === "seq-item-ind" || type === "explicit-key-ind") marks += 1;
      isLineStart = false;
    }
    deepest = Math.max(deepest, brackets + marks + columns);
  }
  return deepest;
}

function bracketStep(type: CST.TokenType | null): -1 | 0 | 1 {
  if (type === "flow-seq-start" || type === "flow-map-start") return 1;
  return type === "flow-seq-end" || type === "flow-map-end" ? -1 : 0;
}
