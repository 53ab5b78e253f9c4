import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { canaryDirectoryVariable, outputPrefix, secretsName } from "./canaries.ts"
import { scanFor, type Canary, type Scan } from "./canaries-scan.ts"

export type CanaryRun = {
  /** Adds to what the run itself has printed. */
  print(chunk: Uint8Array): void
  /** Searches everything for every secret, and says in a line each what was found where. Call it once. */
  finish(): readonly string[]
}

/** Has all tests that are started from now on keep their outputs and register their secrets, in a directory in `place`. */
export function startCanaryRun(place = tmpdir()): CanaryRun {
  const directory = mkdtempSync(join(place, "countersign-run-"))
  process.env[canaryDirectoryVariable] = directory
  removeAtEnd(directory)
  const printed: Uint8Array[] = []
  return {
    print: (chunk) => void printed.push(chunk),
    finish: () => {
      const scan = scanFor(readCanaries(directory))
      const outputs = readdirSync(directory).filter((name) => name.startsWith(outputPrefix))
      return [
        ...searched(scan, "what the tests printed", Buffer.concat(printed)),
        ...outputs.flatMap((name) => {
          const output = readFileSync(join(directory, name))
          const start = output.indexOf("\n")
          return searched(scan, output.toString("utf8", 0, start), output.subarray(start + 1))
        }),
      ]
    },
  }
}

/** However the run ends, but for SIGKILL: secrets are in it. */
export function removeAtEnd(directory: string): void {
  const remove = (): void => rmSync(directory, { recursive: true, force: true, maxRetries: 10 })
  process.on("exit", remove)
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      remove()
      process.kill(process.pid, signal)
    })
  }
}

function searched(scan: Scan, where: string, output: Uint8Array): readonly string[] {
  return scan(output).map(({ canary, form }) => `shown: ${canary}, as ${form}, in ${where}`)
}

/** One that was registered twice counts under its first name. */
function readCanaries(directory: string): readonly Canary[] {
  const isNone = !readdirSync(directory).includes(secretsName)
  const text = isNone ? "" : readFileSync(join(directory, secretsName), "utf8")
  const names = new Map<string, string>()
  for (const line of text.split("\n").filter((each) => each !== "")) {
    const { name, hex } = JSON.parse(line) as { name: string; hex: string }
    if (!names.has(hex)) names.set(hex, name)
  }
  return [...names].map(([hex, name]) => ({ name, secret: Buffer.from(hex, "hex") }))
}
