interface BinaryOperator {
  /** The function it calls. */
  readonly name: string;
  /** Higher binds tighter. */
  readonly level: 1 | 2 | 3;
}

export const binaryOperators: ReadonlyMap<string, BinaryOperator> = new Map<string, BinaryOperator>([
  ["<", { name: "_<_", level: 1 }],
  ["<=", { name: "_<=_", level: 1 }],
  [">=", { name: "_>=_", level: 1 }],
  [">", { name: "_>_", level: 1 }],
  ["==", { name: "_==_", level: 1 }],
  ["!=", { name: "_!=_", level: 1 }],
  ["in", { name: "@in", level: 1 }],
  ["+", { name: "_+_", level: 2 }],
  ["-", { name: "_-_", level: 2 }],
  ["*", { name: "_*_", level: 3 }],
  ["/", { name: "_/_", level: 3 }],
  ["%", { name: "_%_", level: 3 }],
]);
