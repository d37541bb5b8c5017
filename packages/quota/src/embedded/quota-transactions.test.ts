import type { Ticket } from "@milo-quota/apiserver/storage/transaction.ts";
import { expect, it } from "vitest";
import { QuotaTransactions, type QuotaTransactionsOptions } from "./quota-transactions.ts";

it("a bucket that cannot be rendered declines all tickets of the batch, and is reported", () => {
  const reported: unknown[] = [];
  const leader = {
    render: () => {
      throw new Error("the bucket no longer exists");
    },
  };
  const options = { leader, report: (where: string, error: unknown) => reported.push([where, String(error)]) };
  const transactions = new QuotaTransactions(options as unknown as QuotaTransactionsOptions);
  const tickets: readonly Ticket[] = [{ renderer: transactions }, { renderer: transactions }];
  const { writes, excluded } = transactions.render(tickets, () => true);
  expect([writes, tickets.map((ticket) => excluded.get(ticket))]).toEqual([
    [],
    [{ outcome: "declined" }, { outcome: "declined" }],
  ]);
  expect(reported).toEqual([["buckets of a transaction", "Error: the bucket no longer exists"]]);
});
