import { labelValue } from "@milo-quota/kubernetes/protocol/names.ts";
import type { LabelSelector } from "@milo-quota/kubernetes/protocol/selectors/label-selector.ts";
import type { PolicyBindings } from "./policy-variables.ts";
import type { Renderer, TemplateFields } from "./template-fields.ts";

/** Compiles a selector whose values are templates. Keys and operators are literal. */
export function compileSelector(
  fields: TemplateFields,
  path: string,
  selector: LabelSelector,
): Renderer<LabelSelector> {
  const { matchLabels, matchExpressions } = selector;
  const renderLabels = matchLabels && fields.dimensionValues(`${path}.matchLabels`, matchLabels);
  const renderExpressions = matchExpressions?.map(({ key, operator, values = [] }, index) => {
    const at = `${path}.matchExpressions[${index}].values`;
    const renderValues = values.map((value, item) => fields.text(`${at}[${item}]`, value, labelValue));
    return (bindings: PolicyBindings) => {
      const rendered = renderValues.map((render) => render(bindings));
      return { key, operator, ...(rendered.length === 0 ? {} : { values: rendered }) };
    };
  });
  return (bindings) => ({
    ...(renderLabels && { matchLabels: renderLabels(bindings) }),
    ...(renderExpressions && { matchExpressions: renderExpressions.map((render) => render(bindings)) }),
  });
}
