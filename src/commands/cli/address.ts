import { Fault } from "../../std/fault.ts"

/** Parses `--port`. @throws {Fault} `usage`. */
export function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (port <= 65_535) return port
  throw new Fault("usage", "--port takes a number from 0 to 65535; 0 picks a free port.")
}

/** A host as a URL has it: an IPv6 address in brackets (RFC 3986 §3.2.2). */
export function hostInUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host
}
