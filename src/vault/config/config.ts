import { isAbsolute } from "node:path"

import * as z from "zod"

import { notifySetting } from "../../link/gate-settings.ts"
import { ok, type Result } from "../../std/result.ts"
import { dayMs } from "../../std/time/duration.ts"
import { parseYaml, textAs, type Problem } from "../../std/yaml-file.ts"
import { parsePercentage } from "../../venue/decimal.ts"
import {
  budgetsSetting,
  upstreamSetting,
  venueOffsetSetting,
  keepWarmSetting,
  freezeOnSetting,
  heartbeatsSetting,
  duration,
  yesOrNo,
} from "./config-sections.ts"
import { ledgerSetting } from "./ledger-config.ts"

/** Parses countersign.yaml. Every key but `keystore` has a default; an unknown one is refused. */
export function parseConfig(text: string, file: string): Result<Config, readonly Problem[]> {
  const read = parseYaml(text, file, configSchema)
  return read.ok ? ok(configOf(read.value.value)) : read
}

/** `countersign.yaml`, read. Durations in milliseconds. */
export type Config = Readonly<ReturnType<typeof configOf>>

function configOf(written: z.output<typeof configSchema>) {
  return {
    listen: written.listen,
    /** Further names that `Host` may carry, without port. */
    allowedHosts: written.allowed_hosts,
    allowRemote: written.allow_remote,
    keystore: written.keystore,
    walletKeys: written.wallet_keys,
    expiresInMs: { trade: written.expires_in.trade, typeB: written.expires_in.type_b },
    /** From this long before its computed expiry on, an agent signs only what reduces risk. */
    stopBeforeMs: written.stop_before,
    /** From this long before its computed expiry on, status and log warn of an agent. */
    agentWarningMs: written.agent_warning,
    prices: written.prices,
    /** Whether a change of the files is loaded without being told to. */
    reloadOnChange: written.reload_on_change,
    /** How old entries of the ledger are when they go into an archive; `undefined` for never. */
    archiveKeepMs: written.archive === "off" ? undefined : written.archive.keep,
    ...written.ledger,
    /** Where the signers' locks and marks are, absolute; `undefined` for the usual place. */
    signerDir: written.signer_dir,
    /** How far the clock may have run on while the machine was off. */
    maxStartGapMs: written.max_start_gap,
    /** Further off the venue's clock only what lowers risk is signed; `undefined` for any. */
    maxVenueOffsetMs: written.max_venue_offset,
    /** Whether changed files wait for `countersign policy accept`. */
    attestRequired: written.attest === "required",
    freezeOn: written.freeze_on,
    heartbeats: written.heartbeats,
    budgets: written.budgets,
    upstream: written.upstream,
    /** How often the gate asks about what was signed last; `undefined` for never. */
    keepWarmMs: written.keep_warm,
    /** Where the gate sends what alarms. */
    notify: written.notify,
  }
}

const loopbackHosts = ["127.0.0.1", "::1", "localhost"]

/** The longest validity a request may be given: a signature that outlives it is a loaded gun. */
const maxExpiresInMs = 3_600_000

const port = z
  .string()
  .regex(/^\d{1,5}$/, "expected a port from 0 to 65535")
  .transform(Number)
  .refine((number) => number <= 65_535, "expected a port from 0 to 65535")

/** `5%` as the fraction 0.05. */
const percentage = textAs(parsePercentage, "expected a percentage like 5%")

const keystore = z
  .strictObject({
    backend: z.enum(["keychain", "keystore", "memory"]),
    /** Which library speaks to the keychain. */
    driver: z.enum(["native", "keytar"]).default("native"),
    /** The passphrase itself is never in the configuration. */
    passphrase_file: z
      .string()
      .refine((path) => isAbsolute(path), "expected an absolute path")
      .optional(),
    credential: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, "expected the name of a systemd credential")
      .optional(),
  })
  .refine((written) => written.credential === undefined || written.passphrase_file === undefined, {
    path: ["credential"],
    message: "a keystore has one secret; leave passphrase_file or credential out",
  })
  .transform(({ passphrase_file: passphraseFile, ...written }) => ({
    ...written,
    passphraseFile,
    /** Name of the systemd credential that opens the keystore. */
    credential: written.credential,
  }))

/** After which times wallet keys are locked by themselves; `undefined` for never. */
const autoLock = z
  .strictObject({
    lifetime: duration(31 * dayMs).optional(),
    lock_on_idle: duration(31 * dayMs).optional(),
  })
  .prefault({})
  .transform((written) => ({ lifetimeMs: written.lifetime, lockOnIdleMs: written.lock_on_idle }))

const archived = z.strictObject({
  keep: duration(36_500 * dayMs)
    .refine((ms) => ms >= dayMs, "expected a duration of at least 1d")
    .default(30 * dayMs),
})

/** How prices that are fed are taken. */
const pricesSetting = z
  .strictObject({
    max_age: duration(dayMs).default(60_000),
    max_step: percentage.default({ coefficient: 5n, scale: 2 }),
    max_drift_per_minute: percentage.default({ coefficient: 10n, scale: 2 }),
    max_drift: percentage.default({ coefficient: 40n, scale: 2 }),
  })
  .prefault({})
  .transform((written) => ({
    maxAgeMs: written.max_age,
    /** What may be left of a price's allowance, and what it grows by in a minute: shares of the price. */
    maxStep: written.max_step,
    maxDriftPerMinute: written.max_drift_per_minute,
    /** How far it may lie from its anchor. */
    maxDrift: written.max_drift,
  }))

const configSchema = z
  .strictObject({
    listen: z
      .strictObject({ host: z.string().default("127.0.0.1"), port: port.default(8420) })
      .default({ host: "127.0.0.1", port: 8420 }),
    allowed_hosts: z
      .array(z.string().regex(/^[a-z0-9.-]+$/, "expected a lower-case host name without a port"))
      .default([]),
    allow_remote: yesOrNo,
    keystore,
    wallet_keys: autoLock,
    agent_keys: z
      .undefined({
        error:
          "an agent key isn't locked by itself, since its bot would stop in the middle of a trade; wallet_keys can be",
      })
      .optional(),
    expires_in: z
      .strictObject({
        trade: duration(maxExpiresInMs).default(15_000),
        type_b: duration(maxExpiresInMs).default(60_000),
      })
      .default({ trade: 15_000, type_b: 60_000 }),
    stop_before: duration(30 * 86_400_000).default(6 * 3_600_000),
    agent_warning: duration(90 * 86_400_000).default(7 * 86_400_000),
    prices: pricesSetting,
    reload_on_change: yesOrNo,
    archive: z
      .union([z.literal("off"), archived], "expected off, or {keep: 30d}")
      .default({ keep: 30 * dayMs }),
    ledger: ledgerSetting,
    signer_dir: z
      .string()
      .refine((path) => isAbsolute(path), "expected an absolute path")
      .optional(),
    max_start_gap: duration(365 * dayMs).default(7 * dayMs),
    max_venue_offset: venueOffsetSetting,
    attest: z.enum(["off", "required"]).default("off"),
    freeze_on: freezeOnSetting,
    heartbeats: heartbeatsSetting,
    budgets: budgetsSetting,
    upstream: upstreamSetting,
    keep_warm: keepWarmSetting,
    notify: notifySetting,
  })
  .refine((config) => config.allow_remote || loopbackHosts.includes(config.listen.host), {
    path: ["listen", "host"],
    message:
      "listening off loopback shows the daemon to the network; set allow_remote: true if that is meant",
  })
  .refine(({ ledger, attest }) => ledger.postgres?.hosts === undefined || attest === "off", {
    path: ["attest"],
    message: "what is accepted is one host's files; leave it out",
  })
  .refine(({ ledger, archive }) => ledger.postgres?.hosts === undefined || archive === "off", {
    path: ["archive"],
    message: "what several hosts share isn't archived; say off",
  })
