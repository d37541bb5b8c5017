/** How many definitions are remembered; for a forgotten one objects are looked at once more than needed. */
const rememberedMax = 10_000;

const remembered = new Map<string, { readonly digest: string; readonly revision: number }>();

/**
 * The first revision known to have this schema. A write of a definition that leaves its schema alone does not make the
 * objects that are stored look old.
 */
export function schemaRevision(version: string, digest: string, revision: number): number {
  const known = remembered.get(version);
  if (known !== undefined && known.digest === digest && known.revision <= revision) return known.revision;
  remembered.delete(version);
  remembered.set(version, { digest, revision });
  const [oldest] = remembered.size > rememberedMax ? remembered.keys() : [];
  if (oldest !== undefined) remembered.delete(oldest);
  return revision;
}
