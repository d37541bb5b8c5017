import type { Ticket } from "@milo-quota/apiserver/storage/transaction.ts";
import { expect, it } from "vitest";
import { QuotaTransactions, type QuotaTransactionsOptions } from "./quota-transactions.ts";

it("a bucket that cannot be written fails nobody: all are decided in the ordinary way, and it is reported", () => {
  const reported: unknown[] = [];
  const leader = {
    render: () => {
      throw new Error("the page is not there any more");
    },
  };
  const options = { leader, report: (where: string, error: unknown) => reported.push([where, String(error)]) };
  const transactions = new QuotaTransactions(options as unknown as QuotaTransactionsOptions);
  const tickets: readonly Ticket[] = [{ renderer: transactions }, { renderer: transactions }];
  const { writes, leftOut } = transactions.render(tickets, () => true);
  expect([writes, tickets.map((ticket) => leftOut.get(ticket))]).toEqual([
    [],
    [{ outcome: "declined" }, { outcome: "declined" }],
  ]);
  expect(reported).toEqual([["buckets of a transaction", "Error: the page is not there any more"]]);
});
