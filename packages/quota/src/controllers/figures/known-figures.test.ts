import { expect, it } from "vitest";
import { TypeLedger } from "../../core/ledger/type-ledger.ts";
import type { BucketKey } from "../writer/pages/bucket-views.ts";
import { KnownFigures } from "./known-figures.ts";

const consumer = { apiGroup: "", kind: "Namespace", namespace: "", name: "team" };
const key: BucketKey = { plane: "root", consumer, resourceType: "cpu" };

it("figures of a page that is removed are forgotten, and whoever kept them with them", () => {
  const figures = new KnownFigures(() => 0);
  let reads = 0;
  const read = (book: TypeLedger | undefined) => (): TypeLedger | undefined => {
    reads += 1;
    return book;
  };
  figures.changed(key, read(new TypeLedger("cpu")));
  expect(figures.figuresOf(key, "")).toBeDefined();
  figures.changed(key, read(undefined));
  reads = 0;
  expect(figures.figuresOf(key, "")).toBeUndefined();
  expect(reads).toBe(0);
});
