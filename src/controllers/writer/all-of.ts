/** Waits for all, whatever becomes of each; then fails if one of them failed. Nothing is left under way. */
export async function allOf(work: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(work);
  const failed = results.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}
