import { describe, expect, it } from "vitest";
import { ShapeTree } from "./shape-tree.ts";

describe("a shape tree", () => {
  it("reaches the same node by the same steps only", () => {
    const { root } = new ShapeTree(100);
    const place = root.step("a").step("b").end();
    expect(root.step("a").step("b").end()).toBe(place);
    const others = [root.step("a").step("b"), root.step("a").end().step("b"), root.step("b").step("a").end()];
    for (const other of others) expect(other).not.toBe(place);
    expect(root.step("c")).toBe(root.step("c"));
  });

  it("is reset at the next root lookup after it grows too large", () => {
    const tree = new ShapeTree<string>(3);
    const place = tree.root.step("a");
    place.result = "known";
    expect(tree.root.step("a").result).toBe("known");
    expect(place.step("b")).toBe(place.step("b"));
    expect(tree.root.step("a").result).toBeUndefined();
  });
});
