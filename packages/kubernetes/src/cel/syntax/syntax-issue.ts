/** A message with its offset; line and column are computed later. */
export interface Finding {
  readonly message: string;
  readonly offset: number;
}

/** Thrown to leave the parser from any depth. Caught only where parsing starts. */
export class SyntaxStop {
  readonly finding: Finding;
  constructor(message: string, offset: number) {
    this.finding = { message, offset };
  }
}
