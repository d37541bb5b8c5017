import { CST, Lexer } from "yaml";

/**
 * An upper bound for the nesting of a YAML text, computed without recursion. The parser recurses for every level, and a
 * stack overflow there can take down the process: compiling a regular expression at the end of the stack crashes Node.
 */
export function yamlDepthBound(text: string): number {
  let [deepest, brackets, marks, columns] = [0, 0, 0, 0];
  let isLineStart = true;
  for (const lexeme of new Lexer().lex(text)) {
    const type = CST.tokenType(lexeme);
    if (type === "newline") [marks, columns, isLineStart] = [0, 0, true];
    // Every block level is indented further than its parent, or started by an indicator on the same line.
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
