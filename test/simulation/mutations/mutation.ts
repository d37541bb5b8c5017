/** A mistake planted in a copy of the product, to prove that it would be found. The product itself has no switches. */
export interface Mutation {
  /** In words, as `--mutation` takes it. */
  readonly name: string;
  readonly edits: readonly [Edit, ...Edit[]];
  /** The scenario that shows it, where chance alone is too slow. */
  readonly scenario?: string;
  /** Where it matters, if not everywhere: only such worlds are looked at. */
  readonly worlds?: "embedded";
}

export interface Edit {
  /** From the root of the project. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
}

/** The source with the mistake in it. Throws when the source is no longer what the mistake was made for. */
export function edited({ file, find, replace }: Edit, source: string): string {
  const places = source.split(find).length - 1;
  if (places !== 1) throw new Error(`what is to be replaced occurs ${places} times in ${file}, not once: ${find}`);
  return source.replace(find, () => replace);
}
