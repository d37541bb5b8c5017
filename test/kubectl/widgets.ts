// A custom kind with all features that kubectl shows.
export const widgetsDefinition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.shop.example.com
spec:
  group: shop.example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, shortNames: [wd], categories: [all]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}, scale: {specReplicasPath: .spec.count, statusReplicasPath: .status.count}}
    additionalPrinterColumns:
    - {name: Color, type: string, jsonPath: .spec.color}
    - {name: Count, type: integer, jsonPath: .spec.count}
    - {name: Ready, type: string, jsonPath: '.status.conditions[?(@.type=="Ready")].status', priority: 1}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
    schema:
      openAPIV3Schema:
        type: object
        description: A thing the shop sells.
        required: [spec]
        properties:
          spec:
            type: object
            description: What is wanted.
            required: [color]
            properties:
              color: {type: string, enum: [red, green, blue], description: Color of the widget.}
              count: {type: integer, minimum: 0, maximum: 10, default: 1}
              parts:
                type: array
                items:
                  type: object
                  properties:
                    name: {type: string}
                    weight: {type: integer}
            x-kubernetes-validations:
            - {rule: self.count != 7, message: seven is bad luck}
          status:
            type: object
            properties:
              count: {type: integer}
              conditions:
                type: array
                items:
                  type: object
                  properties:
                    type: {type: string}
                    status: {type: string}
`;

/** A widget; more fields of its spec may follow. */
export function widget(name: string, ...spec: readonly string[]): string {
  const fields = spec.map((line) => `  ${line}\n`).join("");
  return `apiVersion: shop.example.com/v1\nkind: Widget\nmetadata:\n  name: ${name}\nspec:\n${fields}`;
}
