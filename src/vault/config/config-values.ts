import * as z from "zod"

import { parseDurationMs } from "../../std/time/duration.ts"
import { parseSizeBytes } from "../../std/size.ts"

/** A day in milliseconds. */
export const dayMs = 86_400_000

/** A duration like 15s as milliseconds, at most `maxMs`. */
export function duration(maxMs: number) {
  return z.string().transform((text, context) => {
    const ms = parseDurationMs(text)
    if (ms !== undefined && ms <= maxMs) return ms
    context.addIssue(`expected a duration like 15s, at most ${maxMs / 1000}s`)
    return z.NEVER
  })
}

/** A size like 256MiB as bytes, or 0. */
export const size = z.string().transform((text, context) => {
  const bytes = parseSizeBytes(text)
  if (bytes !== undefined) return bytes
  context.addIssue("expected a size like 256MiB (KiB, MiB or GiB), or 0")
  return z.NEVER
})

/** `true` or `false`; `false` if left out. */
export const yesOrNo = z
  .enum(["true", "false"])
  .default("false")
  .transform((text) => text === "true")
