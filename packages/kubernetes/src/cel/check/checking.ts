import { errorType, formatType, type Type } from "../cel-type.ts";
import type { Environment } from "../environment.ts";
import type { FunctionDeclaration, Overload } from "../libraries/library.ts";
import type { Expression } from "../syntax/ast.ts";
import type { Finding } from "../syntax/syntax-issue.ts";
import type { NameReference } from "./name-reference.ts";
import { Substitution } from "./substitution.ts";

/** The resolution of a call. */
export interface ResolvedCall {
  readonly declared: FunctionDeclaration;
  /** The receiver of a method comes first. */
  readonly args: readonly Expression[];
  /** The overloads that the argument types allow; more than one if some types are only known at run time. */
  readonly overloads: readonly Overload[];
}

interface Local {
  readonly name: string;
  readonly type: Type;
  readonly outer: Local | undefined;
}

type Visit = (checking: Checking, expression: Expression) => Type;

/** The state of checking one expression. */
export class Checking {
  readonly environment: Environment;
  readonly types = new Substitution();
  readonly findings: Finding[] = [];
  readonly typed = new Map<Expression, Type>();
  readonly names = new Map<Expression, NameReference>();
  readonly calls = new Map<Expression, ResolvedCall>();
  readonly #visit: Visit;
  #locals: Local | undefined;
  #mixedAllowed: boolean;

  constructor(environment: Environment, visit: Visit) {
    this.environment = environment;
    this.#visit = visit;
    this.#mixedAllowed = environment.mixedLiterals;
  }

  visit(expression: Expression): Type {
    const type = this.#visit(this, expression);
    this.typed.set(expression, type);
    return type;
  }

  /** Visits an expression with additional variables in scope. */
  visitWith(expression: Expression, names: readonly (readonly [name: string, type: Type])[]): Type {
    const outer = this.#locals;
    for (const [name, type] of names) this.#locals = { name, type, outer: this.#locals };
    const type = this.visit(expression);
    this.#locals = outer;
    return type;
  }

  local(name: string): Type | undefined {
    for (let local = this.#locals; local !== undefined; local = local.outer) {
      if (local.name === name) return local.type;
    }
    return undefined;
  }

  get mixedAllowed(): boolean {
    return this.#mixedAllowed;
  }

  /** Runs a step in which lists and maps may have elements of several types. */
  allowingMixed<T>(step: () => T): T {
    const before = this.#mixedAllowed;
    this.#mixedAllowed = true;
    const result = step();
    this.#mixedAllowed = before;
    return result;
  }

  refuse(offset: number, message: string): Type {
    this.findings.push({ message, offset });
    return errorType;
  }

  refuseType(at: Expression, expected: Type, found: Type): Type {
    const [wanted, given] = [formatType(this.types.finish(expected)), formatType(this.types.finish(found))];
    return this.refuse(at.offset, `expected type '${wanted}' but found '${given}'`);
  }

  refuseUndeclared(offset: number, name: string): Type {
    return this.refuse(offset, `undeclared reference to '${name}' (in container '${this.environment.container}')`);
  }

  /** Looks a name up in the container, then in its parents; a leading dot skips that. */
  find<T>(table: ReadonlyMap<string, T>, name: string): { readonly name: string; readonly found: T } | undefined {
    for (const candidate of candidates(this.environment.container, name)) {
      const found = table.get(candidate);
      if (found !== undefined) return { name: candidate, found };
    }
    return undefined;
  }
}

function candidates(container: string, name: string): string[] {
  if (name.startsWith(".")) return [name.slice(1)];
  const parts = container === "" ? [] : container.split(".");
  return parts.map((_, index) => `${parts.slice(0, parts.length - index).join(".")}.${name}`).concat(name);
}
