import * as z from "zod"

import { duration, size } from "./config-sections.ts"

/** A ledger whose order is kept on PostgreSQL, and of which this host has a copy. */
export type PostgresLedger = NonNullable<ReturnType<typeof postgresOf>>

/** What `ledger.min_free` is if left out: 256 MiB. */
export const defaultMinFreeBytes = 256 * 1_048_576

const hostName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, "expected up to 32 of a-z, 0-9 and -, like host-1")

/** What PostgreSQL takes as a name without quotes. */
const identifier = z
  .string()
  .regex(/^[a-z_][a-z0-9_]{0,62}$/, "expected up to 63 of a-z, 0-9 and _, like countersign")

const replicas = z
  .string()
  .regex(/^[0-8]$/, "expected a whole number from 0 to 8")
  .transform(Number)

const publicKey = z
  .string()
  .regex(/^[0-9a-f]{64}$/, "expected 64 hex digits, as countersign ledger host-key prints them")

const slot = z
  .string()
  .regex(/^(?:\d|1[0-5])$/, "expected a whole number from 0 to 15")
  .transform(Number)

const fleet = z.strictObject({
  hosts: z
    .record(hostName, z.strictObject({ key: publicKey, slot: slot.optional() }))
    .refine((hosts) => areDistinct(Object.values(hosts).map(({ key }) => key)), {
      message: "two have one key",
    })
    .refine((hosts) => areDistinct(Object.values(hosts).flatMap((each) => each.slot ?? [])), {
      message: "two have one slot",
    }),
})

function areDistinct(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length
}

const ofPostgres = {
  fleet: fleet.optional(),
  host: hostName.optional(),
  database: identifier.optional(),
  role: identifier.optional(),
  replicas: replicas.optional(),
  unreplicated: z.literal("accepted").optional(),
  commit_timeout: duration(10_000)
    .refine((ms) => ms >= 500, "expected a duration of at least 500ms")
    .optional(),
  isolated_cancels: z.strictObject({ for: duration(3_600_000) }).optional(),
}

const keys = z.strictObject({
  engine: z.enum(["sqlite", "postgres"]).default("sqlite"),
  min_free: size.default(defaultMinFreeBytes),
  ...ofPostgres,
})

type Written = z.output<typeof keys>

/** `ledger` in countersign.yaml. */
export const ledgerSetting = keys
  .prefault({})
  .superRefine((written, context) => {
    const mistake = written.engine === "sqlite" ? foreignKey(written) : missing(written)
    if (mistake !== undefined) context.addIssue({ code: "custom", ...mistake })
  })
  .transform((written) => ({
    minFreeBytes: written.min_free,
    postgres: postgresOf(written),
  }))

type Mistake = { readonly path: string[]; readonly message: string }

function foreignKey(written: Written): Mistake | undefined {
  const key = Object.keys(ofPostgres).find((each) => written[each as keyof Written] !== undefined)
  if (key === undefined) return undefined
  return { path: [key], message: "this is for engine: postgres; say so, or remove it" }
}

function missing(written: Written): Mistake | undefined {
  const { host, fleet: asks } = written
  if (host === undefined) {
    return { path: ["engine"], message: "name this host, for good: host: a" }
  }
  if (asks !== undefined && asks.hosts[host] === undefined) {
    return { path: ["fleet", "hosts"], message: `this host, ${host}, isn't among them; add it` }
  }
  return unmeant(written) ?? slotless(written)
}

/** Without one host's slot, two that are isolated might use the same nonce. */
function slotless({ isolated_cancels: asked, fleet: asks }: Written): Mistake | undefined {
  if (asked === undefined) return undefined
  const slots = Object.values(asks?.hosts ?? {}).map((each) => each.slot)
  if (slots.length > 0 && !slots.includes(undefined)) return undefined
  const message = "this needs fleet, with a slot of its own for each host: 0 to 15, for good"
  return { path: ["isolated_cancels"], message }
}

function unmeant({ replicas: asked = 1, unreplicated }: Written): Mistake | undefined {
  if ((asked === 0) === (unreplicated === "accepted")) return undefined
  const message =
    "without a standby, a server that is lost takes with it what was signed; if that is meant, say replicas: 0 and unreplicated: accepted"
  return { path: [asked === 0 ? "replicas" : "unreplicated"], message }
}

function postgresOf({ engine, host, ...written }: Written) {
  if (engine === "sqlite" || host === undefined) return undefined
  const { fleet: asks } = written
  return {
    /** This host's name, for good. */
    host,
    database: written.database ?? "countersign",
    role: written.role ?? "countersign_host",
    /** How many standbys every commit must wait for. */
    replicas: written.replicas ?? 1,
    /** After this long without an answer, in milliseconds, a commit isn't believed any more. */
    commitTimeoutMs: written.commit_timeout ?? 2_000,
    /** The public keys of all hosts that append to the ledger, hex; left out where this one does alone. */
    hosts: asks && new Map(Object.entries(asks.hosts).map(([name, { key }]) => [name, key])),
    /** Where cancels are signed while PostgreSQL can't be reached: for how long, and by which part of the nonces. */
    isolated: isolatedOf(host, written),
  }
}

function isolatedOf(
  host: string,
  { fleet: asks, isolated_cancels: cancels }: Pick<Written, "fleet" | "isolated_cancels">,
) {
  return cancels && { forMs: cancels.for, slot: asks?.hosts[host]?.slot ?? 0 }
}
