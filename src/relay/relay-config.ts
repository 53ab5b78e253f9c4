import { isIPv6 } from "node:net"

import * as z from "zod"

/** A PostgreSQL server as relay.yaml names it. */
export type Server = {
  /** What the vault, the log and people call it. */
  readonly name: string
  /** A host's name or an IP address, without brackets. */
  readonly host: string
  readonly port: number
}

/** The vault picks one of them; a ledger has a primary and a few standbys. */
const maxServers = 8

const addressForm = "expected host:port, such as db1.internal:5432 or [2001:db8::1]:5432"
const addressPattern = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]{1,253})):([1-9]\d{0,4})$/

const address = z.string(addressForm).transform((text, context) => {
  const [, bracketed, name = bracketed, port] = addressPattern.exec(text) ?? []
  const isHost = name !== undefined && (bracketed === undefined || isIPv6(bracketed))
  if (isHost && Number(port) <= 65_535) return { host: name, port: Number(port) }
  context.addIssue(addressForm)
  return z.NEVER
})

const server = z.strictObject(
  {
    name: z
      .string("expected a name, such as db1")
      .regex(/^[a-z0-9-]{1,32}$/, "expected 1 to 32 lower-case letters, digits and hyphens"),
    address,
  },
  {
    error: (issue) =>
      issue.code === "invalid_type" ? "expected {name: …, address: …}" : undefined,
  },
)

const serversForm = `expected a list of one to ${maxServers} servers`

const servers = z
  .array(server, serversForm)
  .min(1, serversForm)
  .max(maxServers, serversForm)
  .superRefine((written, context) => {
    for (const [index, { name, address }] of written.entries()) {
      const before = written.slice(0, index)
      if (before.some((each) => each.name === name)) {
        context.addIssue({
          code: "custom",
          path: [index, "name"],
          message: `another server is called ${name}; each needs a name of its own`,
        })
      }
      const same = before.find((each) => textOf(each.address) === textOf(address))
      if (same === undefined) continue
      context.addIssue({
        code: "custom",
        path: [index, "address"],
        message: `${same.name} has this address already; name each server once`,
      })
    }
  })
  .transform((written) => written.map(({ name, address }): Server => ({ name, ...address })))

const path = (what: string) => z.string(`expected the path of ${what}`).min(1)

/** What stands in relay.yaml. Paths are as written there. */
export const relayConfig = z
  .strictObject({
    servers,
    ca: path("the authority's certificates"),
    certificate: path("this host's certificate"),
    key: path("the certificate's key").optional(),
    credential: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, "expected the name of a systemd credential")
      .optional(),
  })
  .superRefine(({ key, credential }, context) => {
    if ((key === undefined) !== (credential === undefined)) return
    const message =
      key === undefined
        ? "the certificate's key is missing; name its file as key, or a systemd credential as credential"
        : "the certificate has one key; leave key or credential out"
    context.addIssue({ code: "custom", path: key === undefined ? [] : ["credential"], message })
  })

function textOf({ host, port }: { readonly host: string; readonly port: number }): string {
  return `${host.toLowerCase()} ${port}`
}
