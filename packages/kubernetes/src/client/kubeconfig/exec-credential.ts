import { createSecureContext } from "node:tls";
import { JsonSyntaxError, readJson } from "../../protocol/json-reader.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "../../protocol/json-value.ts";
import { parseTime } from "../../protocol/time.ts";
import type { ClientCertificate } from "../transport/cluster-access.ts";
import { KubeconfigError } from "./kubeconfig-error.ts";

export interface ExecCredential {
  readonly token: string;
  readonly certificate: ClientCertificate | undefined;
  readonly expiresAtMs: number | undefined;
}

/** Parses the output of a plug-in; throws when it is invalid. */
export function parseExecCredential(output: string, apiVersion: string): ExecCredential {
  const value = jsonIn(output);
  if (!isJsonObject(value) || ownValue(value, "kind") !== "ExecCredential")
    throw fault("decoding stdout: it contains no ExecCredential");
  const returned = text(value, "apiVersion");
  if (returned !== apiVersion) {
    throw fault(`exec plugin is configured to use API version ${apiVersion}, plugin returned version ${returned}`);
  }
  const status = ownValue(value, "status");
  if (!isJsonObject(status)) throw fault("exec plugin didn't return a status field");
  const token = text(status, "token");
  const certificate = certificateIn(status);
  if (token === "" && certificate === undefined) throw fault("exec plugin didn't return a token or cert/key pair");
  return { token, certificate, expiresAtMs: expiryIn(status) };
}

function certificateIn(status: JsonObject): ClientCertificate | undefined {
  const [certificatePem, privateKeyPem] = [text(status, "clientCertificateData"), text(status, "clientKeyData")];
  if (certificatePem === "" && privateKeyPem === "") return undefined;
  if (certificatePem === "" || privateKeyPem === "")
    throw fault("exec plugin returned only certificate or key, not both");
  const certificate = { certificatePem, privateKeyPem };
  const unfit = certificateProblem(certificate);
  if (unfit !== undefined) throw fault(`failed parsing client key/certificate: ${unfit}`);
  return certificate;
}

/** Why a certificate and a key cannot be used together; undefined when they can. */
export function certificateProblem({ certificatePem, privateKeyPem }: ClientCertificate): string | undefined {
  try {
    createSecureContext({ cert: certificatePem, key: privateKeyPem });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function expiryIn(status: JsonObject): number | undefined {
  const written = text(status, "expirationTimestamp");
  if (written === "") return undefined;
  const expiresAtMs = parseTime(written);
  if (expiresAtMs === undefined)
    throw fault(`decoding stdout: expirationTimestamp ${JSON.stringify(written)} is not a valid time`);
  return expiresAtMs;
}

function jsonIn(output: string): JsonValue {
  try {
    return readJson(output);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw fault(`decoding stdout: ${error.message}`);
  }
}

function text(object: JsonObject, field: string): string {
  const value = ownValue(object, field) ?? "";
  if (typeof value !== "string") throw fault(`decoding stdout: ${field} must be a string`);
  return value;
}

function fault(message: string): KubeconfigError {
  return new KubeconfigError(`getting credentials: ${message}`);
}
