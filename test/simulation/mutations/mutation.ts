/** A bug that is edited into a copy of the product to prove that the simulator detects it. The product itself has no switches. */
export interface Mutation {
  /** Name of the bug, for `--mutation`. */
  readonly name: string;
  readonly edits: readonly [Edit, ...Edit[]];
  /** The scenario that detects it, if random seeds are too slow. */
  readonly scenario?: string;
  /** Restricts seeds to embedded deployments, for bugs that other deployments cannot show. */
  readonly worlds?: "embedded";
}

export interface Edit {
  /** Relative to the root of the project. */
  readonly file: string;
  /** Must occur exactly once in the file. */
  readonly find: string;
  readonly replace: string;
}

/** The source with the edit applied. Throws if the quoted source does not occur exactly once. */
export function applyEdit({ file, find, replace }: Edit, source: string): string {
  const count = source.split(find).length - 1;
  if (count !== 1) throw new Error(`the quoted source occurs ${count} times in ${file}, not once: ${find}`);
  return source.replace(find, () => replace);
}
