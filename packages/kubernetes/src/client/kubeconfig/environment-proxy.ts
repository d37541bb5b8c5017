import { BlockList, isIP } from "node:net";
import { KubeconfigError } from "./kubeconfig-error.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The proxy that the environment names for a server, by the rules of programs written in Go; undefined for none. */
export function environmentProxy(server: URL, env: Env): URL | undefined {
  const name = server.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const named = env[name] || env[name.toLowerCase()] || "";
  if (named === "" || isExempt(server, env["NO_PROXY"] || env["no_proxy"] || "")) return undefined;
  const text = named.includes("://") ? named : `http://${named}`;
  if (URL.canParse(text) && ["http:", "https:", "socks5:"].includes(new URL(text).protocol)) return new URL(text);
  throw new KubeconfigError(`the environment variable ${name} is no URL of a proxy: "${named}"; correct or unset it`);
}

/** A server on this machine never has a proxy before it. */
function isExempt(server: URL, list: string): boolean {
  const host = server.hostname.replace(/^\[|\]$/g, "").toLowerCase();
  const port = server.port || (server.protocol === "https:" ? "443" : "80");
  if (host === "localhost" || host.startsWith("127.") || host === "::1") return true;
  return list
    .split(",")
    .map((entry) => entry.trim().toLowerCase())
    .some((entry) => entry === "*" || (entry !== "" && matches(entry, host, port)));
}

/** An entry is a network, an address, or a domain that stands for all below it; either of the last two with a port. */
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
