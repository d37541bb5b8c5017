import type { Type } from "../cel-type.ts";
import type { NameReference } from "../check/name-reference.ts";
import type { Expression, Presence, Select } from "../syntax/ast.ts";
import type { Planned, Step } from "./step.ts";

interface Local {
  readonly name: string;
  readonly slot: number;
  readonly outer: Local | undefined;
}

type Plan = (planning: Planning, expression: Expression) => Planned;

/** The checker's results that planning uses. */
interface Checked {
  readonly typeOf: (expression: Expression) => Type;
  readonly nameOf: (expression: Expression) => NameReference | undefined;
}

/** The state of planning one checked expression. */
export class Planning {
  readonly checked: Checked;
  readonly #plan: Plan;
  #locals: Local | undefined;

  constructor(checked: Checked, plan: Plan) {
    this.checked = checked;
    this.#plan = plan;
  }

  plan(expression: Expression): Planned {
    return this.#plan(this, expression);
  }

  step(expression: Expression): Step {
    return this.plan(expression).step;
  }

  /** Reserves slots for variables, and plans the expression in their scope. */
  withLocals<T>(names: readonly string[], make: (firstSlot: number) => T): T {
    const outer = this.#locals;
    const firstSlot = outer === undefined ? 0 : outer.slot + 1;
    for (const [index, name] of names.entries()) {
      this.#locals = { name, slot: firstSlot + index, outer: this.#locals };
    }
    const made = make(firstSlot);
    this.#locals = outer;
    return made;
  }

  /** The JSON key of a field, which differs from its name only where a declared type says so. */
  propertyOf({ operand, field }: Select | Presence): string {
    const type = this.checked.typeOf(operand);
    return (type.kind === "object" ? type.fields.get(field)?.property : undefined) ?? field;
  }

  slotOf(name: string): number {
    let local = this.#locals;
    while (local !== undefined && local.name !== name) local = local.outer;
    return local?.slot ?? -1;
  }
}
