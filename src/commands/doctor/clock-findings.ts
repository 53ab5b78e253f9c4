import { execFile } from "node:child_process"

import { spanWords, utcText } from "../../std/time/time-words.ts"
import { fail, ok, warn, type Finding } from "./finding.ts"

export type ClockFacts = {
  readonly nowMs: number
  /** When a file of the installation was written last; `undefined` when there is none. */
  readonly newestWriteMs: number | undefined
  /** Whether a time server sets it; `undefined` where nothing here can tell. */
  readonly isSynchronised: boolean | undefined
}

/** This program is younger than that. */
const firstReleaseMs = Date.UTC(2026, 0, 1)
/** Less than this may be the grain of a file system's times. */
const noticeableMs = 2_000

const setClock = "timedatectl set-ntp true"

/** Whether the time can be trusted: nonces and the ends of signatures are made of it. */
export function clockFindings({ nowMs, newestWriteMs, isSynchronised }: ClockFacts) {
  const now = utcText(nowMs)
  if (nowMs < firstReleaseMs) {
    return [fail("clock", `It says ${now}, which is long past; set it.`, setClock)]
  }
  const findings: Finding[] = []
  const aheadMs = (newestWriteMs ?? nowMs) - nowMs
  if (aheadMs > noticeableMs) {
    findings.push(
      warn(
        "clock",
        `It says ${now}, and a file here was written ${spanWords(aheadMs)} after that: it was set back. Signers go on from their last nonce, and slowly, until it has caught up.`,
        setClock,
      ),
    )
  }
  if (isSynchronised === false) {
    findings.push(
      warn("clock", "No time server sets it, so signatures may expire early or late.", setClock),
    )
  }
  if (findings.length > 0) return findings
  const source =
    isSynchronised === true
      ? "and a time server sets it"
      : "and nothing here can tell whether a time server sets it"
  return [ok("clock", `It says ${now}, ${source}.`)]
}

/** How long timedatectl may take. */
const limitMs = 2_000

/** Whether a time server sets this machine's clock; `undefined` where nothing can tell. */
export function isClockSynchronised(): Promise<boolean | undefined> {
  const words = ["show", "--property=NTPSynchronized", "--value"]
  return new Promise((resolve) => {
    execFile("timedatectl", words, { timeout: limitMs }, (error, stdout) => {
      if (error !== null) resolve(undefined)
      else resolve({ yes: true, no: false }[stdout.trim()])
    })
  })
}
