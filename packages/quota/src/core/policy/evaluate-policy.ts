import type { PolicyBindings } from "./policy-variables.ts";
import { RenderFailure } from "./template-fields.ts";
import type { Conditions } from "./trigger-condition.ts";

/** Why a policy renders nothing for an object. */
export type NotRendered =
  /** The policy does not apply to the object. */
  | { readonly outcome: "differs"; readonly missingKeys: number }
  /** The policy is misconfigured: it cannot be evaluated for the object. */
  | { readonly outcome: "failed"; readonly message: string };

/** Renders if the conditions hold. `policy` is the name of the policy in messages. */
export function evaluatePolicy<Rendering>(
  policy: string,
  conditions: Conditions,
  bindings: PolicyBindings,
  render: () => Rendering,
): Rendering | NotRendered {
  const verdict = conditions(bindings);
  if (verdict.outcome === "differs") return { outcome: "differs", missingKeys: verdict.missingKeys };
  if (verdict.outcome === "failed") return { outcome: "failed", message: `${policy}: ${verdict.message}` };
  try {
    return render();
  } catch (error) {
    if (error instanceof RenderFailure) return { outcome: "failed", message: `${policy}: ${error.message}` };
    throw error;
  }
}
