import { chmodSync } from "node:fs";
import { build } from "esbuild";

/** Puts the program into one file, so that it starts fast and a package needs no compiler. */
export async function bundle(outfile: string): Promise<void> {
  await build({
    entryPoints: ["src/main.ts"],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external",
    banner: { js: "#!/usr/bin/env node" },
    legalComments: "none",
  });
  chmodSync(outfile, 0o755);
}
