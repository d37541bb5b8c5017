/** A complaint and its place, before line and column are worked out. */
export interface Finding {
  readonly message: string;
  readonly offset: number;
}

/** Leaves the parser from any depth. Caught where parsing starts, and nowhere else. */
export class SyntaxStop {
  readonly finding: Finding;
  constructor(message: string, offset: number) {
    this.finding = { message, offset };
  }
}
