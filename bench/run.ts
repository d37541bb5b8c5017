// `npm run bench [suite ...]` runs the benchmark suites, prints one table, and exits non-zero on a broken budget.
import { readdirSync } from "node:fs";
import { parseArgs } from "node:util";
import { type BudgetName, budgets } from "./budgets.ts";

/** A result of a suite, with or without a budget. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly budget?: BudgetName;
}

/** Command line flags. Each is for one suite; the others ignore it. */
const flagOptions = {
  /** admission: the folder of another build to compare this one with. */
  baseline: { type: "string" },
  /** request-path: the case whose files and functions are listed. */
  list: { type: "string" },
} as const;

export type Flags = { readonly [Name in keyof typeof flagOptions]?: string };

/** A suite is a file `*.bench.ts` with one export `suite` that returns its figures. */
export type Suite = (flags: Flags) => Figure[] | Promise<Figure[]>;

const tolerance = 1.25;

const { values: flags, positionals: names } = parseArgs({ options: flagOptions, allowPositionals: true });
const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith(".bench.ts"));
const chosen = files.filter((file) => names.length === 0 || names.some((name) => file === `${name}.bench.ts`));
if (chosen.length === 0) {
  const known = files.map((file) => file.replace(".bench.ts", "")).join(", ");
  console.error(`No suite named ${names.join(", ")}. Suites: ${known}`);
  process.exit(2);
}

// Suites kill the programs that they have started in an "exit" listener, which signals alone do not trigger.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(130));

let broken = 0;
for (const file of chosen) {
  const { suite } = (await import(`./${file}`)) as { suite: Suite };
  console.log(`\n${file.replace(".bench.ts", "")}`);
  for (const figure of await suite(flags)) print(figure);
}
if (broken > 0) {
  console.error(`\n${broken} ${broken === 1 ? "budget" : "budgets"} broken`);
  process.exit(1);
}

function print(figure: Figure): void {
  const line = `  ${figure.name.padEnd(74)} ${display(figure.value).padStart(12)} ${figure.unit.padEnd(12)}`;
  if (figure.budget === undefined) {
    console.log(line.trimEnd());
    return;
  }
  const budget = budgets[figure.budget];
  const excess = budget.bound === "at most" ? figure.value / budget.value : budget.value / figure.value;
  const verdict = excess <= 1 ? "holds" : excess <= tolerance ? "MISSED, within noise" : "BROKEN";
  if (verdict === "BROKEN") broken += 1;
  console.log(`${line} ${budget.bound} ${display(budget.value)}: ${verdict}`);
}

function display(value: number): string {
  return value >= 1000 ? Math.round(value).toLocaleString("en-US") : value.toPrecision(3);
}
