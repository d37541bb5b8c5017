import { expect, it } from "vitest";
import { TypeLedger } from "../../core/ledger/type-ledger.ts";
import type { BucketKey } from "../writer/buckets/figures-observer.ts";
import { FiguresCache } from "./figures-cache.ts";

const consumer = { apiGroup: "", kind: "Namespace", namespace: "", name: "team" };
const key: BucketKey = { plane: "root", consumer, resourceType: "cpu" };

it("drops the figures of a removed bucket, and the closure that reads them", () => {
  const figures = new FiguresCache(() => 0);
  let reads = 0;
  const read = (ledger: TypeLedger | undefined) => (): TypeLedger | undefined => {
    reads += 1;
    return ledger;
  };
  figures.onFiguresChanged(key, read(new TypeLedger("cpu")));
  expect(figures.figuresOf(key, "")).toBeDefined();
  figures.onFiguresChanged(key, read(undefined));
  reads = 0;
  expect(figures.figuresOf(key, "")).toBeUndefined();
  expect(reads).toBe(0);
});
