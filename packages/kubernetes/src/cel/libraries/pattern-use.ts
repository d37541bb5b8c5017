import { Failure } from "../values/failure.ts";
import type { Meter } from "../values/meter.ts";
import type { Outcome } from "../values/value.ts";
import { implement, type Preparation } from "./library.ts";
import { compilePattern, type Pattern } from "./pattern.ts";

/** An operation of a pattern on a text; further arguments and the meter follow. */
export type PatternUse<Rest extends unknown[]> = (pattern: Pattern, text: string, ...rest: Rest) => Outcome;

/** For a dynamic pattern: charges for the match once it is compiled. */
export function withPattern<Rest extends unknown[]>(use: PatternUse<[...Rest, Meter]>) {
  return (text: string, pattern: string, ...rest: [...Rest, Meter]): Outcome => {
    const compiled = compilePattern(pattern);
    if (compiled instanceof Failure) return compiled;
    const meter = rest.at(-1) as Meter;
    meter.spend(compiled.matchCost(text.length));
    return use(compiled, text, ...rest);
  };
}

/** For a constant pattern: compiled once, and rejected at compile time if it is invalid. */
export function withConstantPattern<Rest extends unknown[]>(use: PatternUse<Rest>): Preparation {
  return {
    argument: 1,
    with: (constant) => {
      const compiled = typeof constant === "string" ? compilePattern(constant) : undefined;
      if (compiled === undefined || compiled instanceof Failure) return compiled;
      return implement(
        (text: string, _: string, ...rest: Rest) => use(compiled, text, ...rest),
        (text: string) => compiled.matchCost(text.length),
      );
    },
  };
}
