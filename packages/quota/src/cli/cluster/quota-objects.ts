import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { Parser } from "@milo-quota/kubernetes/client/resources/read-reply.ts";
import type { ListOptions } from "@milo-quota/kubernetes/client/resources/request-options.ts";
import { planeNotFound, type ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { issueText } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import {
  type AllowanceBucket,
  allowanceBucketDefinition,
  parseAllowanceBucket,
} from "../../core/resources/allowance-bucket.ts";
import {
  type ClaimCreationPolicy,
  claimCreationPolicyDefinition,
  parseClaimCreationPolicy,
} from "../../core/resources/claim-creation-policy.ts";
import {
  type GrantCreationPolicy,
  grantCreationPolicyDefinition,
  parseGrantCreationPolicy,
} from "../../core/resources/grant-creation-policy.ts";
import {
  parseResourceClaim,
  type ResourceClaim,
  resourceClaimDefinition,
} from "../../core/resources/resource-claim.ts";
import {
  parseResourceGrant,
  type ResourceGrant,
  resourceGrantDefinition,
} from "../../core/resources/resource-grant.ts";
import {
  parseResourceRegistration,
  type ResourceRegistration,
  resourceRegistrationDefinition,
} from "../../core/resources/resource-registration.ts";
import { CommandFailure } from "../command-failure.ts";
import { exitCodes } from "../exit-codes.ts";
import { notInstalled, planeText } from "./cluster.ts";
import { listAll } from "./object-lists.ts";
import { organizationOfPlane } from "./tenant-addresses.ts";

type Note = (text: string) => void;

/** The objects of the quota API in one control plane. One that cannot be read is told of, and left out. */
export class QuotaObjects {
  readonly client: KubeClient;
  readonly #note: Note;
  readonly #signal: AbortSignal;

  constructor(client: KubeClient, note: Note, signal: AbortSignal) {
    this.client = client;
    this.#note = note;
    this.#signal = signal;
  }

  registrations(): Promise<readonly ResourceRegistration[]> {
    return this.#list(resourceRegistrationDefinition, parseResourceRegistration, {});
  }

  grants(options: ListOptions = {}): Promise<readonly ResourceGrant[]> {
    return this.#list(resourceGrantDefinition, parseResourceGrant, options);
  }

  claims(options: ListOptions = {}): Promise<readonly ResourceClaim[]> {
    return this.#list(resourceClaimDefinition, parseResourceClaim, options);
  }

  buckets(options: ListOptions = {}): Promise<readonly AllowanceBucket[]> {
    return this.#list(allowanceBucketDefinition, parseAllowanceBucket, options);
  }

  claimPolicies(): Promise<readonly ClaimCreationPolicy[]> {
    return this.#list(claimCreationPolicyDefinition, parseClaimCreationPolicy, {});
  }

  grantPolicies(): Promise<readonly GrantCreationPolicy[]> {
    return this.#list(grantCreationPolicyDefinition, parseGrantCreationPolicy, {});
  }

  async #list<Kind>(
    type: ResourceType & { readonly kind: string },
    parse: Parser<Kind>,
    options: ListOptions,
  ): Promise<readonly Kind[]> {
    try {
      const objects = await listAll(this.client.resource(type, anyObject), options, this.#signal);
      return objects.flatMap((object) => this.#read(type.kind, parse, object));
    } catch (error) {
      throw this.#explained(error, type.plural);
    }
  }

  #read<Kind>(kind: string, parse: Parser<Kind>, object: JsonObject): readonly Kind[] {
    const parsed = parse(object);
    if (parsed.ok) return [parsed.value];
    const { metadata } = object as { metadata?: { name?: string } };
    this.#note(`${kind} ${metadata?.name ?? ""} cannot be read: ${parsed.issues.map(issueText).join("; ")}`);
    return [];
  }

  #explained(error: unknown, plural: string): unknown {
    if (!(error instanceof StatusError) || error.status.code !== 404) return error;
    if (error.status.details?.causes?.some(({ reason }) => reason === planeNotFound)) {
      const organization = organizationOfPlane(this.client.plane);
      const tenant = organization === undefined ? planeText(this.client) : `organization ${organization}`;
      return new CommandFailure(`there is no control plane of ${tenant}`, exitCodes.missing);
    }
    return notInstalled(plural);
  }
}
