import { existsSync, readFileSync } from "node:fs";

/** The unit of times in /proc. */
const tickMs = 10;

interface CpuTimes {
  /** Of the process itself, in all of its threads. */
  readonly ownMs: number;
  /** Of all its children that have ended. */
  readonly childrenMs: number;
}

/** Time that all processors have spent in a process; NaN where the operating system has no /proc. */
export function cpuTimesOf(pid: number | undefined): CpuTimes {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return { ownMs: Number.NaN, childrenMs: Number.NaN };
  // The name of the program stands in parentheses and may have spaces; times in user and in kernel mode are after it.
  const [, fields = ""] = readFileSync(file, "utf8").split(") ");
  const [user = 0, kernel = 0, childrenUser = 0, childrenKernel = 0] = fields.split(" ").slice(11, 15).map(Number);
  return { ownMs: (user + kernel) * tickMs, childrenMs: (childrenUser + childrenKernel) * tickMs };
}
