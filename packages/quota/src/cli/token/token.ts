import type { Command } from "commander";
import type { Surroundings } from "../cluster/chosen-access.ts";
import { withClusterFlags } from "../cluster/cluster-flags.ts";
import { onCluster } from "../cluster/on-cluster.ts";
import { withOutputFlag } from "../output.ts";
import { type CreateFlags, createToken } from "./create-token.ts";
import { readEnd } from "./duration.ts";
import { type ListFlags, listTokens } from "./list-tokens.ts";
import { type RevokeFlags, revokeTokens } from "./revoke-tokens.ts";
import type { TokenPort } from "./token-port.ts";

export function addToken(program: Command, surroundings: Surroundings, tokens: TokenPort): void {
  const group = program.command("token").description("make, list and end tokens of users");
  const name = `${program.name()} token`;
  const create = group
    .command("create")
    .description("make a token, and print it; it is shown this once")
    .requiredOption("--user <name>", "whose token it is")
    .option("--group <name...>", "groups that its bearer is in")
    .option("--expires <when>", "after 90m, 24h, 30d, or at a time; never, when left out", readEnd)
    .addHelpText(
      "after",
      `
What a user may do is said by OrganizationMemberships and by roles. A token of a User object ends with that object.

Examples:
  ${name} create --user alice --expires 30d
  TOKEN=$(${name} create --user ci --group deployers --expires 1h)`,
    );
  withOutputFlag(withClusterFlags(create)).action(() =>
    onCluster<CreateFlags>(create, surroundings, (cluster, flags, signal) =>
      createToken(tokens, cluster, flags, signal),
    ),
  );
  const list = group
    .command("list")
    .description("show whose tokens there are; not the tokens themselves, which nobody keeps")
    .option("--user <name>", "only of this user")
    .addHelpText("after", `\nExamples:\n  ${name} list --user alice`);
  withOutputFlag(withClusterFlags(list)).action(() =>
    onCluster<ListFlags>(list, surroundings, (cluster, flags, signal) => listTokens(tokens, cluster, flags, signal)),
  );
  const revoke = group
    .command("revoke")
    .description("end tokens at once")
    .argument("[name...]", "names as token list shows them")
    .option("--user <name>", "all tokens of this user")
    .addHelpText("after", `\nExamples:\n  ${name} revoke user-token-0123456789abcdef\n  ${name} revoke --user alice`);
  withClusterFlags(revoke).action((names: readonly string[]) =>
    onCluster<RevokeFlags>(revoke, surroundings, (cluster, flags, signal) =>
      revokeTokens(tokens, cluster, { ...flags, names }, signal),
    ),
  );
}
