import type { Command } from "commander";
import type { CliContext } from "../cli-context.ts";
import { addAccessFlags } from "../cluster/cluster-flags.ts";
import { runOnCluster } from "../cluster/run-on-cluster.ts";
import { addOutputFlag } from "../output.ts";
import { type CreateFlags, createToken } from "./create-token.ts";
import { parseExpiry } from "./expiry.ts";
import { type ListFlags, listTokens } from "./list-tokens.ts";
import { type RevokeFlags, revokeTokens } from "./revoke-tokens.ts";
import type { TokenCodec } from "./token-codec.ts";

export function addToken(program: Command, cli: CliContext, codec: TokenCodec): void {
  const group = program.command("token").description("create, list and revoke user tokens");
  const name = `${program.name()} token`;
  const create = group
    .command("create")
    .description("create a token and print it; it is shown only once")
    .requiredOption("--user <name>", "user that the token authenticates")
    .option("--group <name...>", "groups of the user")
    .option("--expires <when>", "a duration such as 90m, 24h or 30d, or a time (default: never)", parseExpiry)
    .addHelpText(
      "after",
      `
OrganizationMemberships and roles determine what the user may do. Deleting the User object deletes its tokens.

Examples:
  ${name} create --user alice --expires 30d
  TOKEN=$(${name} create --user ci --group deployers --expires 1h)`,
    );
  addOutputFlag(addAccessFlags(create)).action(() =>
    runOnCluster<CreateFlags>(create, cli, (cluster, flags, signal) => createToken(codec, cluster, flags, signal)),
  );
  const list = group
    .command("list")
    .description("list tokens with their users and expiry; the tokens themselves are not stored")
    .option("--user <name>", "only tokens of this user")
    .addHelpText("after", `\nExamples:\n  ${name} list --user alice`);
  addOutputFlag(addAccessFlags(list)).action(() =>
    runOnCluster<ListFlags>(list, cli, (cluster, flags, signal) => listTokens(codec, cluster, flags, signal)),
  );
  const revoke = group
    .command("revoke")
    .description("revoke tokens immediately")
    .argument("[name...]", "token names, as shown by token list")
    .option("--user <name>", "revoke all tokens of this user")
    .addHelpText("after", `\nExamples:\n  ${name} revoke user-token-0123456789abcdef\n  ${name} revoke --user alice`);
  addAccessFlags(revoke).action((names: readonly string[]) =>
    runOnCluster<RevokeFlags>(revoke, cli, (cluster, flags, signal) =>
      revokeTokens(codec, cluster, { ...flags, names }, signal),
    ),
  );
}
