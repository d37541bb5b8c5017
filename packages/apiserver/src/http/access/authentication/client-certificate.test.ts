import { connect, createServer, type TLSSocket } from "node:tls";
import { describe, expect, it } from "vitest";
import {
  createAuthority,
  issueClientCertificate,
  issueServerCertificate,
} from "../../certificates/certificate-authority.ts";
import { ClientCertificates, peerCertificateOf } from "./client-certificate.ts";

const lifetime = { nowMs: Date.now(), lifetimeMs: 86_400_000 };
const authority = createAuthority("ours", lifetime);
const names = { commonName: "server", dnsNames: ["localhost"], ipAddresses: ["127.0.0.1"] };
const serving = issueServerCertificate(authority, names, lifetime);
const client = issueClientCertificate(authority, { user: "dave", groups: ["ops"] }, lifetime);

describe("the client certificate of a connection", () => {
  it("is read from the socket once, and identifies the user", async () => {
    const options = { requestCert: true, rejectUnauthorized: false, ca: authority.certificatePem };
    const server = createServer({ ...options, cert: serving.certificatePem, key: serving.privateKeyPem });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const accepted = new Promise<TLSSocket>((resolve) => server.once("secureConnection", resolve));
    const { port } = server.address() as { port: number };
    const credentials = { ca: authority.certificatePem, cert: client.certificatePem, key: client.privateKeyPem };
    const socket = connect({ host: "127.0.0.1", port, ...credentials });
    const peer = await accepted;
    const certificate = peerCertificateOf(peer);
    expect(peerCertificateOf(peer)).toBe(certificate);
    expect(new ClientCertificates([authority.certificate]).verdictOn(certificate!, Date.now())).toMatchObject({
      outcome: "user",
      user: { username: "dave", uid: "", groups: ["ops"] },
    });
    socket.destroy();
    peer.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  it("is undefined on a plain-text connection", () => {
    expect(peerCertificateOf({})).toBeUndefined();
    expect(peerCertificateOf(undefined)).toBeUndefined();
  });
});
