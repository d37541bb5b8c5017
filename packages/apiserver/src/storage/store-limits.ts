export interface StoreLimits {
  /** How long, how many and how much (in characters of text) changes are kept; the first of these limits rules. */
  readonly historyMs: number;
  readonly historyCount: number;
  readonly historyChars: number;
  /** How many versions, and how much of their text, are held parsed as well, which takes about seven times the room. */
  readonly parsedCount: number;
  readonly parsedChars: number;
  /** How much one object may be; as much as etcd takes, so that what is here can go there. */
  readonly objectChars: number;
  /** How much one write to the disk carries. */
  readonly batchCount: number;
  readonly batchChars: number;
  /** How much may wait for the disk before writes are refused. */
  readonly queueCount: number;
  readonly queueChars: number;
  /** How many changes are forgotten in one write to the disk. */
  readonly compactionCount: number;
  /** How often changes that are too old are looked for. */
  readonly compactionEveryMs: number;
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
};
