import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { equal } from "../equality.ts";
import { Failure } from "../failure.ts";
import { compare } from "../ordering.ts";
import { type Outcome, Uint, type Value } from "../value.ts";
import { add, divide, modulo, multiply, negate, subtract } from "./checked-arithmetic.ts";
import { fixedText, scientificText } from "./decimal-text.ts";
import { formatDouble, plainDecimal } from "./format-double.ts";
import { isInt64, isUint64 } from "./int64.ts";
import { approximateUnits, formatQuantity, parseQuantity, type Quantity } from "./quantity.ts";

const int = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.constantFrom(0n, 1n, -1n, 2n, -(2n ** 63n), 2n ** 63n - 1n),
);
const uint = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.constantFrom(0n, 1n, 2n ** 64n - 1n));

type Operation = readonly [
  ours: (left: Value, right: Value) => Outcome,
  exact: (left: bigint, right: bigint) => bigint,
];

const operations: Record<string, Operation> = {
  addition: [add, (left, right) => left + right],
  subtraction: [subtract, (left, right) => left - right],
  multiplication: [multiply, (left, right) => left * right],
  division: [divide, (left, right) => left / right],
};

/** The exact result if it fits, the kind of failure if not. */
function expected(
  right: bigint,
  exact: () => bigint,
  fits: (value: bigint) => boolean,
  divides: boolean,
): bigint | string {
  if (divides && right === 0n) return "division-by-zero";
  const value = exact();
  return fits(value) ? value : "overflow";
}

function shown(outcome: Outcome): unknown {
  if (outcome instanceof Failure) return outcome.kind;
  return outcome instanceof Uint ? outcome.value : outcome;
}

describe.each(Object.entries(operations))("%s", (name, [ours, exact]) => {
  it("of ints is exact or overflows", () => {
    fc.assert(
      fc.property(int, int, (left, right) => {
        const value = expected(right, () => exact(left, right), isInt64, name === "division");
        expect(shown(ours(left, right))).toBe(value);
      }),
    );
  });

  it("of uints is exact or overflows", () => {
    fc.assert(
      fc.property(uint, uint, (left, right) => {
        const value = expected(right, () => exact(left, right), isUint64, name === "division");
        expect(shown(ours(new Uint(left), new Uint(right)))).toBe(value);
      }),
    );
  });

  it("of an int and another type is undefined", () => {
    for (const other of [1.5, new Uint(1n), "a", null, true]) expect(shown(ours(1n, other))).toBe("no-such-overload");
  });
});

describe("integers", () => {
  it("leave remainders with the sign of the dividend", () => {
    fc.assert(
      fc.property(int, int, (left, right) => {
        const smallest = left === -(2n ** 63n) && right === -1n;
        const value = smallest ? "overflow" : expected(right, () => left % right, isInt64, true);
        expect(shown(modulo(left, right))).toBe(value);
      }),
    );
  });

  it("are negated, except the smallest", () => {
    fc.assert(
      fc.property(int, (value) => {
        expect(shown(negate(value))).toBe(isInt64(-value) ? -value : "overflow");
      }),
    );
  });
});

describe("numbers of different types", () => {
  const number = fc.oneof(
    int,
    uint.map((value) => new Uint(value)),
    fc.double(),
    fc.constantFrom(0, -0, 1, 2 ** 53, 2 ** 63, -(2 ** 63), 2 ** 64, Number.NaN, Number.POSITIVE_INFINITY),
  );
  const meter = { spend: () => undefined };

  it("are consistently ordered and equal", () => {
    fc.assert(
      fc.property(number, number, (left, right) => {
        const [order, opposite] = [compare(left, right), compare(right, left)];
        const unordered = Number.isNaN(left) || Number.isNaN(right);
        expect(Number.isNaN(order)).toBe(unordered);
        if (!unordered) expect(Object.is(order, opposite) || order === -Number(opposite)).toBe(true);
        expect(equal(left, right, meter)).toBe(order === 0);
      }),
    );
  });

  it("are compared exactly when both are integers", () => {
    fc.assert(
      fc.property(int, uint, (left, right) => {
        expect(compare(left, new Uint(right))).toBe(left < right ? -1 : left > right ? 1 : 0);
      }),
    );
  });
});

describe("the formatting of doubles", () => {
  const double = fc.double({ noNaN: true, noDefaultInfinity: true });

  it("round-trips", () => {
    fc.assert(
      fc.property(double, (value) => {
        expect(Number(formatDouble(value))).toBe(value);
      }),
    );
    fc.assert(
      fc.property(double, (value) => {
        expect(Number(plainDecimal(value))).toBe(value);
      }),
    );
    fc.assert(
      fc.property(double, (value) => {
        expect(plainDecimal(value)).toMatch(/^-?\d+(\.\d+)?$/);
      }),
    );
  });

  it("agrees with toFixed and toExponential, except for ties", () => {
    const moderate = fc.double({ min: -1e20, max: 1e20, noNaN: true });
    fc.assert(
      fc.property(moderate, fc.nat(10), (value, precision) => {
        const tie = (value * 10 ** precision * 2) % 1 === 0;
        if (!tie) expect(Number(fixedText(value, precision))).toBe(Number(value.toFixed(precision)));
        expect(fixedText(value, precision)).toMatch(
          new RegExp(`^-?\\d+${precision === 0 ? "" : `\\.\\d{${precision}}`}$`),
        );
      }),
    );
    fc.assert(
      fc.property(double, (value) => {
        expect(Number(scientificText(value, 17))).toBe(value);
      }),
    );
  });

  it("rounds ties to even, and carries", () => {
    expect([0.5, 1.5, 2.5, 3.5, -2.5].map((value) => fixedText(value, 0))).toEqual(["0", "2", "2", "4", "-2"]);
    expect([9.95, 99.5, 0.05].map((value) => fixedText(value, 1))).toEqual(["9.9", "99.5", "0.1"]);
    expect([9.5, 99, 1234n].map((value) => scientificText(value, 0))).toEqual(["1e+01", "1e+02", "1e+03"]);
    expect([0, -0, 5n].map((value) => scientificText(value, 1))).toEqual(["0.0e+00", "-0.0e+00", "5.0e+00"]);
  });
});

describe("the formatting of quantities", () => {
  it("round-trips", () => {
    const suffix = fc.constantFrom(
      "",
      "n",
      "u",
      "m",
      "k",
      "M",
      "G",
      "T",
      "P",
      "E",
      "Ki",
      "Mi",
      "Gi",
      "Ti",
      "Pi",
      "Ei",
      "e3",
      "E-3",
    );
    fc.assert(
      fc.property(fc.integer(), fc.nat(999), suffix, (whole, fraction, unit) => {
        const quantity = parseQuantity(`${whole}.${fraction}${unit}`) as Quantity;
        const again = parseQuantity(formatQuantity(quantity)) as Quantity;
        expect(again.nanos).toBe(quantity.nanos);
      }),
    );
  });

  it("is exact where a double is not", () => {
    expect((parseQuantity("0.1") as Quantity).nanos * 3n).toBe((parseQuantity("0.3") as Quantity).nanos);
    expect(approximateUnits(parseQuantity("0.1") as Quantity)).toBe(0.1);
  });
});
