/**
 * Settles with the promise, or rejects with the signal's reason if that comes first. Work that ignores the signal is
 * not waited for; `onLate` receives its error if it fails later.
 */
export function abortable<Value>(
  work: Promise<Value>,
  signal: AbortSignal,
  onLate?: (error: unknown) => void,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const end = (): void => reject(signal.reason);
    const done = (): void => signal.removeEventListener("abort", end);
    const finished = (value: Value): void => {
      done();
      if (signal.aborted) end();
      else resolve(value);
    };
    const failed = (error: unknown): void => {
      done();
      if (signal.aborted) onLate?.(error);
      reject(error);
    };
    work.then(finished, failed);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}
