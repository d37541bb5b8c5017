import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";

/** The process that a command runs in. */
export interface CliContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homeDir: string;
  readonly cwd: string;
  /** Whether stdin is a terminal. */
  readonly isTerminal: boolean;
  readonly clock: Clock;
  /** Prints a diagnostic line to stderr; stdout is for the command's result alone. */
  readonly printErr: (line: string) => void;
}
