// `npm run generate` writes all files that are generated from code; --check only reports which are out of date.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { crdOf } from "@milo-quota/kubernetes/schema/crd.ts";
import type { KindDefinition } from "@milo-quota/kubernetes/schema/kind-definition.ts";
import { quotaKinds } from "@milo-quota/quota/core/resources/kinds.ts";
import { quotaRoles } from "@milo-quota/quota/core/resources/quota-roles.ts";
import { metricSections } from "@milo-quota/quota/embedded/metrics/all-metrics.ts";
import { tenancyKinds } from "@milo-quota/quota/tenancy/resources/tenancy-kinds.ts";
import { stringify } from "yaml";
import { metricsPage } from "./metrics-page.ts";
import { referenceIndex, referencePage } from "./reference-page.ts";

/** Folders that declare the kinds. */
const [quota, tenancy] = ["packages/quota/src/core/resources", "packages/quota/src/tenancy/resources"];

const manifest = (object: object, from: string): string => {
  const yaml = stringify(object, { lineWidth: 0, aliasDuplicateObjects: false });
  return `# Generated from ${from} by \`npm run generate\`. Do not edit.\n${yaml}`;
};

const crd = (folder: string, from: string, kind: KindDefinition): readonly [string, string] => [
  `${folder}/${kind.group}_${kind.plural}.yaml`,
  manifest(crdOf(kind), from),
];

/** Folders that contain generated files only. */
const folders = ["deploy/crds", "deploy/rbac", "deploy/tenancy", "docs/reference/kinds", "docs/reference/tenancy"];

const page = (folder: string, source: string, kind: KindDefinition): readonly [string, string] => {
  const example = readFileSync(`examples/kinds/${kind.singular}.yaml`, "utf8");
  return [`${folder}/${kind.singular}.md`, referencePage(kind, { source, example })];
};

const files = new Map<string, string>([
  ...quotaKinds.map((kind) => crd("deploy/crds", quota, kind)),
  ...tenancyKinds.map((kind) => crd("deploy/tenancy", tenancy, kind)),
  ...quotaRoles.map((role): readonly [string, string] => [
    `deploy/rbac/${role.metadata.name}.yaml`,
    manifest(role, `${quota}/quota-roles.ts`),
  ]),
  ...quotaKinds.map((kind) => page("docs/reference/kinds", quota, kind)),
  ["docs/reference/kinds/README.md", referenceIndex("Quota API", quotaKinds, quota)],
  ...tenancyKinds.map((kind) => page("docs/reference/tenancy", tenancy, kind)),
  ["docs/reference/tenancy/README.md", referenceIndex("Tenants API", tenancyKinds, tenancy)],
  ["docs/reference/metrics.md", metricsPage(metricSections)],
]);

const stale = [...files].filter(([path, text]) => !existsSync(path) || readFileSync(path, "utf8") !== text);
const orphans = folders
  .filter((folder) => existsSync(folder))
  .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  .filter((path) => !files.has(path));

if (process.argv.includes("--check")) {
  for (const [path] of stale) console.error(`out of date: ${path}`);
  for (const path of orphans) console.error(`no longer generated: ${path}`);
  if (stale.length + orphans.length > 0) {
    console.error("Run `npm run generate` and commit the result.");
    process.exit(1);
  }
  console.log(`${files.size} generated files are current`);
} else {
  for (const [path, text] of stale) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    console.log(`wrote ${path}`);
  }
  for (const path of orphans) {
    rmSync(path);
    console.log(`removed ${path}`);
  }
}
