import { existsSync, readFileSync } from "node:fs";

/** Clock tick of /proc. */
const tickMs = 10;

interface CpuTimes {
  /** CPU time of the process in all its threads. */
  readonly ownMs: number;
  /** CPU time of its exited children. */
  readonly childrenMs: number;
}

/** CPU times of a process; NaN where the operating system has no /proc. */
export function cpuTimesOf(pid: number | undefined): CpuTimes {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return { ownMs: Number.NaN, childrenMs: Number.NaN };
  // The program name is in parentheses and may have spaces. User and kernel times follow it.
  const [, fields = ""] = readFileSync(file, "utf8").split(") ");
  const [user = 0, kernel = 0, childrenUser = 0, childrenKernel = 0] = fields.split(" ").slice(11, 15).map(Number);
  return { ownMs: (user + kernel) * tickMs, childrenMs: (childrenUser + childrenKernel) * tickMs };
}
