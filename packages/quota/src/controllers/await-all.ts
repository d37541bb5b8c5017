/** Waits for all promises, even if one rejects, and then rejects with the first failure. No work is left in flight. */
export async function awaitAll(work: readonly Promise<unknown>[]): Promise<void> {
  if (work.length === 0) return;
  const results = await Promise.allSettled(work);
  const failed = results.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}
