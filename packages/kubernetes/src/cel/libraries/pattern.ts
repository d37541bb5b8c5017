import { RE2JS, RE2JSException } from "re2js";
import { excerpt } from "../values/excerpt.ts";
import { Failure } from "../values/failure.ts";
import type { Meter } from "../values/meter.ts";
import { tenth } from "./costs.ts";
import { compileCost } from "./pattern-cost.ts";

/** Matching takes time proportional to text and program; larger patterns are rejected. */
const lengthMax = 4_096;
const programMax = 10_000;
const compileCostMax = 100_000;

/** A regular expression in RE2 syntax, matched in linear time. */
export class Pattern {
  readonly #compiled: RE2JS;
  /** Program size in characters; counted repetition makes a program larger than its pattern. */
  readonly #weight: number;

  constructor(pattern: string, compiled: RE2JS) {
    this.#compiled = compiled;
    this.#weight = Math.max(pattern.length, Math.floor(compiled.programSize() / 2));
  }

  test(text: string): boolean {
    return this.#compiled.test(text);
  }

  find(text: string): string {
    const matcher = this.#compiled.matcher(text);
    return matcher.find() ? (matcher.group() ?? "") : "";
  }

  /**
   * Up to `limit` matches; all if it is negative. An empty match right after another does not count. Each search may
   * run to the end of the text, so each is charged.
   */
  findAll(text: string, limit: number, meter: Meter): string[] {
    const found: string[] = [];
    const matcher = this.#compiled.matcher(text);
    let end = -1;
    while (found.length !== limit && matcher.find()) {
      if (matcher.end() > matcher.start() || matcher.start() !== end) found.push(matcher.group() ?? "");
      end = matcher.end();
      meter.spend(this.matchCost(text.length - end));
    }
    return found;
  }

  /** Cost of one search through this many characters. */
  matchCost(length: number): number {
    return tenth(1 + length) * Math.ceil(this.#weight / 4);
  }
}

/** The cost of a dynamic pattern, charged before it is compiled, even if that fails. */
export function patternCost(_: string, pattern: string): number {
  return pattern.length > lengthMax ? 1 : compileCost(pattern);
}

// Cached, because the same few patterns are matched again and again.
const compiled = new Map<string, Pattern | Failure>();
const compiledMax = 128;

export function compilePattern(pattern: string): Pattern | Failure {
  const cached = compiled.get(pattern);
  if (cached !== undefined) return cached;
  const made = makePattern(pattern);
  const [oldest] = compiled.keys();
  if (compiled.size >= compiledMax && oldest !== undefined) compiled.delete(oldest);
  if (pattern.length <= lengthMax) compiled.set(pattern, made);
  return made;
}

function makePattern(pattern: string): Pattern | Failure {
  if (pattern.length > lengthMax) return tooLarge(`longer than ${lengthMax} characters`);
  if (compileCost(pattern) > compileCostMax) return tooLarge("too large once compiled");
  try {
    const made = RE2JS.compile(pattern);
    return made.programSize() > programMax ? tooLarge("too large once compiled") : new Pattern(pattern, made);
  } catch (error) {
    if (error instanceof RE2JSException) return new Failure("invalid-argument", excerpt(error.message));
    throw error;
  }
}

function tooLarge(why: string): Failure {
  return new Failure("invalid-argument", `error parsing regexp: expression is ${why}`);
}
