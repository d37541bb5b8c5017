// The program: which commands there are, the real clock, and what happens to what goes wrong.
import { Command, CommanderError } from "commander";
import { exitCodes } from "./cli/exit-codes.ts";
import { ManifestError } from "./cli/manifests.ts";
import { addRender } from "./cli/render.ts";
import { addValidate } from "./cli/validate.ts";

const program = new Command("milo-quota")
  .description("A quota system for multi-tenant clouds, spoken to through the Kubernetes API")
  .exitOverride()
  .showHelpAfterError();
addValidate(program);
addRender(program, () => new Date().toISOString().replace(/\.[0-9]+/, ""));

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? exitCodes.fine : exitCodes.unusable;
  } else if (error instanceof ManifestError) {
    console.error(`error: ${error.message}`);
    process.exitCode = exitCodes.unusable;
  } else {
    throw error;
  }
}
