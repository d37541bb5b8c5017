import type { PolicyBindings } from "./policy-variables.ts";
import { RenderFailure } from "./template-fields.ts";
import type { Conditions } from "./trigger-condition.ts";

/** Why a policy makes nothing of an object. */
export type NotRendered =
  /** The policy is not about this object, or not any more. */
  | { readonly outcome: "differs"; readonly missingKeys: number }
  /** The policy does not work for this object: it is misconfigured, and says so. */
  | { readonly outcome: "failed"; readonly message: string };

/** Renders for an object if the conditions hold. `policy` names the policy in messages. */
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
