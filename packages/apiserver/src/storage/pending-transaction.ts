import type { PreparedWrite } from "./prepared-write.ts";
import type { Ticket, TransactionOptions, TransactionResult } from "./transaction.ts";

/** A transaction that is not durable yet. */
export class PendingTransaction {
  readonly writes: readonly PreparedWrite[];
  readonly ticket: Ticket | undefined;
  readonly isBeforeRendered: boolean;
  /** Size of its texts. */
  readonly chars: number;
  readonly result: Promise<TransactionResult>;
  answer: (result: TransactionResult) => void = () => undefined;
  fail: (error: unknown) => void = () => undefined;

  constructor(writes: readonly PreparedWrite[], { ticket, isBeforeRendered = false }: TransactionOptions) {
    this.writes = writes;
    this.ticket = ticket;
    this.isBeforeRendered = isBeforeRendered;
    this.chars = charsOf(writes);
    this.result = new Promise((resolve, reject) => {
      this.answer = resolve;
      this.fail = reject;
    });
  }
}

function charsOf(writes: readonly PreparedWrite[]): number {
  let chars = 0;
  for (const { text } of writes) chars += text.length;
  return chars;
}
