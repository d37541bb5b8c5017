/** What work comes to, or the reason of the signal if that comes first. Work that does not listen is not waited for. */
export async function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  work.catch(() => undefined); // it may fail when nobody listens any more
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    const end = (): void => reject(signal.reason);
    if (signal.aborted) end();
    signal.addEventListener("abort", end, { once: true });
    stop = () => signal.removeEventListener("abort", end);
  });
  try {
    const value = await Promise.race([work, aborted]);
    signal.throwIfAborted();
    return value;
  } finally {
    stop();
  }
}
