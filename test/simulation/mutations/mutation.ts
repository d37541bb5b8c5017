/** A mistake planted in a copy of the product, to prove that it would be found. The product itself has no switches. */
export interface Mutation {
  /** In words, as `--mutation` takes it. */
  readonly name: string;
  /** From the root of the project. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** Where chance alone is too slow to find it. */
  readonly scenario?: string;
}

/** The source with the mistake in it. Throws when the source is no longer what the mutation was made for. */
export function mutated({ name, file, find, replace }: Mutation, source: string): string {
  const places = source.split(find).length - 1;
  if (places !== 1) throw new Error(`mutation "${name}": what it replaces occurs ${places} times in ${file}, not once`);
  return source.replace(find, () => replace);
}
