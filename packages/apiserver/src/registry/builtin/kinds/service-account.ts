import { builtinKind } from "../builtin-kind.ts";
import { ageColumn, nameColumn, textColumn, typed } from "../columns.ts";

interface ServiceAccount {
  readonly secrets?: readonly unknown[];
}

export const serviceAccount = builtinKind<ServiceAccount>({
  struct: "core.v1.ServiceAccount",
  group: "",
  plural: "serviceaccounts",
  shortNames: ["sa"],
  scope: "Namespaced",
  returnsDeleted: true,
  columns: [
    nameColumn,
    textColumn(
      "Secrets",
      typed<ServiceAccount>(({ secrets = [] }) => secrets.length),
    ),
    ageColumn,
  ],
});
