export interface StoreLimits {
  /** Limits on the age, the number and the text size of changes in the history; the first that is reached applies. */
  readonly historyMs: number;
  readonly historyCount: number;
  readonly historyChars: number;
  /** Limits on cached parsed versions, by number and text size; parsed they take about seven times as much memory. */
  readonly parsedCount: number;
  readonly parsedChars: number;
  /** Size limit of one object; the same as etcd's, so that objects can be moved there. */
  readonly objectChars: number;
  /** Limits of one write to the disk. */
  readonly batchCount: number;
  readonly batchChars: number;
  /** Limits of the write queue; beyond, writes are rejected. */
  readonly queueCount: number;
  readonly queueChars: number;
  /** Changes that are compacted in one write to the disk. */
  readonly compactionCount: number;
  /** How often expired changes are looked for. */
  readonly compactionEveryMs: number;
  /** How often a full disk is checked for space. */
  readonly roomCheckEveryMs: number;
}

const mebi = 1024 * 1024;

export const defaultLimits: StoreLimits = {
  historyMs: 5 * 60_000,
  historyCount: 100_000,
  historyChars: 64 * mebi,
  parsedCount: 256,
  parsedChars: 4 * mebi,
  objectChars: 1.5 * mebi,
  batchCount: 512,
  batchChars: 4 * mebi,
  queueCount: 10_000,
  queueChars: 128 * mebi,
  compactionCount: 1_024,
  compactionEveryMs: 30_000,
  roomCheckEveryMs: 2_000,
};
