import { X509Certificate } from "node:crypto"

import * as z from "zod"

import type { UpstreamSettings } from "../../link/gate-settings.ts"
import { duration } from "./config-values.ts"

/** How the venue is reached, but for its address, which is in venue.yaml. */
export type UpstreamConfig = Omit<UpstreamSettings, "baseUrl">

/** Some twenty certificates. A system's whole store belongs to the system. */
const maxCaChars = 65_536

const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

const ca = z.string().transform((text, context) => {
  const message = whyNotCertificates(text)
  if (message === undefined) return text
  context.addIssue(message)
  return z.NEVER
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

/** `upstream` of countersign.yaml. */
export const upstreamSetting = z
  .strictObject({
    ca: ca.optional(),
    proxy: proxy.optional(),
    deadline: duration(maxDeadlineMs)
      .refine((ms) => ms >= minDeadlineMs, "expected a duration of at least 100ms")
      .default(defaultDeadlineMs),
  })
  .prefault({})
  .transform((written): UpstreamConfig => ({
    ca: written.ca ?? null,
    proxy: written.proxy ?? null,
    deadlineMs: written.deadline,
  }))

const offsetForm = "expected off, or a duration like 5s, 1s to 1h"

/** `max_venue_offset` of countersign.yaml. Less than a second can't be told from a `Date` header. */
export const venueOffsetSetting = z
  .union(
    [
      z.literal("off").transform(() => undefined),
      duration(3_600_000).refine((ms) => ms >= 1_000, offsetForm),
    ],
    offsetForm,
  )
  .optional()

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
