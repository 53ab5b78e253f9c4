import { X509Certificate } from "node:crypto"

import * as z from "zod"

import type { UpstreamSettings } from "../../link/gate-settings.ts"
import { err, ok } from "../../std/result.ts"
import { parseSizeBytes } from "../../std/size.ts"
import { dayMs, durationWithin } from "../../std/time/duration.ts"
import { textAs, textBy } from "../../std/yaml-file.ts"

/** A duration like 15s as milliseconds, at most `maxMs`. */
export function duration(maxMs: number) {
  return textAs(
    (text) => durationWithin(text, 0, maxMs),
    `expected a duration like 15s, at most ${maxMs / 1000}s`,
  )
}

/** A size like 256MiB as bytes, or 0. */
export const size = textAs(parseSizeBytes, "expected a size like 256MiB (KiB, MiB or GiB), or 0")

/** `true` or `false`; `false` if left out. */
export const yesOrNo = z
  .enum(["true", "false"])
  .default("false")
  .transform((text) => text === "true")

/** Some twenty certificates. A system's whole store belongs to the system. */
const maxCaChars = 65_536

const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

const ca = textBy((text) => {
  const message = whyNotCertificates(text)
  return message === undefined ? ok(text) : err(message)
})

const proxy = z
  .string()
  .refine(
    isProxyUrl,
    "expected http://host:port, without credentials, path, query or fragment; https and SOCKS proxies aren't supported",
  )

/** As long as a trade's signature is good, if left out. */
const defaultDeadlineMs = 15_000
/** The gate's own bound on silence towards a bot, 60 s, is far above it. */
const maxDeadlineMs = 30_000
const minDeadlineMs = 100

/** `upstream` of countersign.yaml: how the venue is reached, but for its address, which is in venue.yaml. */
export const upstreamSetting = z
  .strictObject({
    ca: ca.optional(),
    proxy: proxy.optional(),
    deadline: duration(maxDeadlineMs)
      .refine((ms) => ms >= minDeadlineMs, "expected a duration of at least 100ms")
      .default(defaultDeadlineMs),
  })
  .prefault({})
  .transform((written): Omit<UpstreamSettings, "baseUrl"> => ({
    ca: written.ca ?? null,
    proxy: written.proxy ?? null,
    deadlineMs: written.deadline,
  }))

/** `max_venue_offset` of countersign.yaml. Less than a second can't be told from a `Date` header. */
export const venueOffsetSetting = offOrDuration([1_000, 3_600_000], "5s, 1s to 1h")

/** `keep_warm` of countersign.yaml. */
export const keepWarmSetting = offOrDuration([1, 1_000], "5ms, 1ms to 1s")

/** `off` if left out; else milliseconds. */
function offOrDuration([leastMs, mostMs]: readonly [number, number], form: string) {
  const message = `expected off, or a duration like ${form}`
  const off = z.literal("off").transform(() => undefined)
  const on = textAs((text) => durationWithin(text, leastMs, mostMs), message)
  return z.union([off, on], message).optional()
}

function whyNotCertificates(text: string): string | undefined {
  if (text.length > maxCaChars) return "expected at most 64 KiB of certificates"
  if (text.includes("PRIVATE KEY")) {
    return "there is a private key among the certificates; leave it out"
  }
  const blocks = text.match(certificate) ?? []
  const begun = text.split("-----BEGIN ").length - 1
  const isWhole = blocks.length > 0 && blocks.length === begun && blocks.every(isCertificate)
  return isWhole ? undefined : "expected certificates in PEM, and nothing else but comments"
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}

/** Credentials in a file that goes to the gate would be a secret of the gate's. */
function isProxyUrl(text: string): boolean {
  const url = URL.parse(text)
  if (url?.protocol !== "http:" || !/^http:\/\/[^/?#@\\\s]+:\d{1,5}\/?$/.test(text)) return false
  return url.username + url.password + url.search + url.hash === "" && url.pathname === "/"
}

const onOff = z
  .enum(["on", "off"])
  .default("on")
  .transform((text) => text === "on")

const wholePercent = z
  .string()
  .regex(/^(?:\d{1,2}|100)%$/, "expected a whole percentage like 40%")
  .transform((text) => Number(text.slice(0, -1)))

/** `33%`: others reach the venue from the same IP, and have the rest. */
const onOffOrPart = z.union([onOff, wholePercent.refine((part) => part > 0)], {
  error: "expected on, off or a whole percentage like 33%",
})

const clientName = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, "expected a client's name")

/** What is kept for cancels if left out: one request a second of the IP budget. */
const defaultCancelReserve = 5

/** `budgets` of countersign.yaml: the venue's rate budgets as they are kept here. Shares in whole percent of each. */
export const budgetsSetting = z
  .strictObject({
    address: onOff,
    ip: onOffOrPart,
    shares: z.record(clientName, wholePercent).default({}),
    cancel_reserve: wholePercent.default(defaultCancelReserve),
  })
  .prefault({})
  .refine(({ shares, cancel_reserve }) => sumOf(shares) + cancel_reserve <= 100, {
    path: ["shares"],
    message: "shares and cancel_reserve are more than 100% together; lower one of them",
  })
  .transform(({ address, ip, shares, cancel_reserve }) => ({
    isOn: { address, ip: ip !== false },
    /** Of the IP budget: what this host may use of it, in percent. */
    ipPart: typeof ip === "number" ? ip : 100,
    /** By client: what it may use whatever others do. */
    shares: new Map(Object.entries(shares)),
    /** Of the IP budget; only cancels may use it. */
    cancelReserve: cancel_reserve,
  }))

function sumOf(shares: Readonly<Record<string, number>>): number {
  return Object.values(shares).reduce((sum, share) => sum + share, 0)
}

/** A number of events; a larger one would keep more times in memory than a sign of trouble is worth. */
const eventCount = z
  .string()
  .regex(/^[1-9]\d{0,3}$/, "expected a whole number from 1 to 9999")
  .transform(Number)

/** `freeze_on` of countersign.yaml: signs of trouble that freeze by themselves; none does unless the file says so. */
export const freezeOnSetting = z
  .strictObject({
    venue_refusals: eventCount.optional(),
    policy_refusals_per_minute: eventCount.optional(),
    nonce_trouble: yesOrNo,
    clock_trouble: yesOrNo,
  })
  .prefault({})
  .transform((written) => ({
    /** So many refusals by the venue in a row freeze the key. */
    venueRefusals: written.venue_refusals,
    /** So many refusals by policy within a minute freeze the client. */
    policyRefusalsPerMinute: written.policy_refusals_per_minute,
    nonceTrouble: written.nonce_trouble,
    clockTrouble: written.clock_trouble,
  }))

/** For how long a client may be silent once it was heard, and what follows then. */
const heartbeat = z
  .strictObject({
    within: duration(dayMs).refine((ms) => ms >= 1_000, "expected a duration of at least 1s"),
    then: z.enum(["freeze", "panic"]).default("freeze"),
  })
  .transform(({ within, then }) => ({ withinMs: within, then }))

/** `heartbeats` of countersign.yaml, by client. */
export const heartbeatsSetting = z
  .record(clientName, heartbeat)
  .prefault({})
  .transform((written): ReadonlyMap<string, z.output<typeof heartbeat>> => {
    return new Map(Object.entries(written))
  })
