import { execFile } from "node:child_process"

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
