import type { Expression } from "./ast.ts";
import type { WithoutDepth } from "./macro.ts";

/** The expressions directly inside one, in the order they are written. */
export function childrenOf(node: WithoutDepth<Expression>): readonly Expression[] {
  switch (node.kind) {
    case "literal":
    case "identifier":
    case "invalid":
      return [];
    case "select":
    case "presence":
      return [node.operand];
    case "call":
      return node.target === undefined ? node.args : [node.target, ...node.args];
    case "logical":
      return node.terms;
    case "list":
      return node.elements.map((element) => element.value);
    case "map":
      return node.entries.flatMap((entry) => [entry.key, entry.value]);
    case "message":
      return node.fields.map((field) => field.value);
    case "comprehension":
      return node.filter === undefined ? [node.range, node.body] : [node.range, node.filter, node.body];
    case "binding":
      return [node.value, node.body];
    case "optional-map":
      return [node.operand, node.body];
    default:
      return node satisfies never;
  }
}
