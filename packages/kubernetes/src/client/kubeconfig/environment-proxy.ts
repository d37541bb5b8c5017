import { BlockList, isIP } from "node:net";
import { KubeconfigError } from "./kubeconfig-error.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The proxy for a server from the environment, by the rules of Go; undefined for none. */
export function environmentProxy(server: URL, env: Env): URL | undefined {
  const name = server.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const named = env[name] || env[name.toLowerCase()] || "";
  if (named === "" || isExempt(server, env["NO_PROXY"] || env["no_proxy"] || "")) return undefined;
  const text = named.includes("://") ? named : `http://${named}`;
  if (URL.canParse(text) && ["http:", "https:", "socks5:"].includes(new URL(text).protocol)) return new URL(text);
  throw new KubeconfigError(
    `the environment variable ${name} is not a valid proxy URL: "${named}"; correct or unset it`,
  );
}

/** Local servers are never proxied. */
function isExempt(server: URL, list: string): boolean {
  const host = server.hostname.replace(/^\[|\]$/g, "").toLowerCase();
  const port = server.port || (server.protocol === "https:" ? "443" : "80");
  if (host === "localhost" || host.startsWith("127.") || host === "::1") return true;
  return list
    .split(",")
    .map((entry) => entry.trim().toLowerCase())
    .some((entry) => entry === "*" || (entry !== "" && matches(entry, host, port)));
}

/** An entry is a CIDR, an address, or a domain with all its subdomains; the last two may have a port. */
function matches(entry: string, host: string, port: string): boolean {
  if (entry.includes("/")) return isIP(host) !== 0 && isInNetwork(entry, host);
  const [name = "", onlyPort] = isIP(entry) === 6 ? [entry] : entry.split(":");
  if (onlyPort !== undefined && onlyPort !== port) return false;
  if (isIP(name) !== 0) return name === host;
  const domain = name.replace(/^\*?\./, "");
  const isBelow = host.endsWith(`.${domain}`);
  return name === domain ? host === domain || isBelow : isBelow;
}

function isInNetwork(network: string, address: string): boolean {
  const [start = "", bits = ""] = network.split("/");
  const family = isIP(start) === 6 ? "ipv6" : "ipv4";
  const most = family === "ipv6" ? 128 : 32;
  if (isIP(start) === 0 || isIP(start) !== isIP(address) || !/^[0-9]{1,3}$/.test(bits) || Number(bits) > most)
    return false;
  const list = new BlockList();
  list.addSubnet(start, Number(bits), family);
  return list.check(address, family);
}
