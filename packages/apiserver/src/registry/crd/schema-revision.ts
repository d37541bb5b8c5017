/** Cache size; after an eviction, objects are checked once more than needed. */
const cacheSizeMax = 10_000;

const cache = new Map<string, { readonly digest: string; readonly revision: number }>();

/**
 * The first revision known to have this schema. A write to a definition that does not change its schema must not mark
 * stored objects as outdated.
 */
export function schemaRevision(version: string, digest: string, revision: number): number {
  const cached = cache.get(version);
  if (cached !== undefined && cached.digest === digest && cached.revision <= revision) return cached.revision;
  cache.delete(version);
  cache.set(version, { digest, revision });
  const [oldest] = cache.size > cacheSizeMax ? cache.keys() : [];
  if (oldest !== undefined) cache.delete(oldest);
  return revision;
}
