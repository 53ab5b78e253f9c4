import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import { createInterface } from "node:readline"
import { after, before, describe, it } from "node:test"
import { fileURLToPath } from "node:url"

import { systemClock } from "../../src/vault/process/clock.ts"
import { openLedger } from "../../src/vault/ledger/open-ledger.ts"
import { childLimit, ledgerPlace, reserved, type LedgerPlace } from "./ledger-ask.ts"
import { readLedger } from "./read-ledger.ts"

const script = fileURLToPath(new URL("ledger-child.ts", import.meta.url))

export function startLedgerChild(
  file: string,
  work: "hold" | "reserve" | "limit",
  maxFileBlocks?: number,
) {
  const command = [process.execPath, script, file, work]
  // POSIX counts in blocks of 512 bytes (dash), bash in 1,024; either will do.
  const limited = ["-c", `ulimit -f ${maxFileBlocks ?? 0}; exec "$@"`, "sh", ...command]
  return maxFileBlocks === undefined
    ? spawn(process.execPath, command.slice(1), { stdio: ["pipe", "pipe", "inherit"] })
    : spawn("sh", limited, { stdio: ["pipe", "pipe", "inherit"] })
}

/** Reads lines to the end of the output; `onLine` gets each as it comes. */
export async function linesOf(
  child: ReturnType<typeof startLedgerChild>,
  onLine: (line: string, count: number) => void = () => undefined,
): Promise<readonly string[]> {
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line)
    onLine(line, lines.length)
  }
  return lines
}

export function noncesOf(lines: readonly string[]): readonly number[] {
  return lines.flatMap((line) => (line.startsWith("nonce ") ? [Number(line.slice(6))] : []))
}

export function recordedNonces(file: string): readonly number[] {
  return readLedger(file)
    .filter(({ kind }) => kind === "request")
    .map(({ row }) => row["nonce"] as number)
}

/** Kills the process of a ledger `kills` times while it reserves, and as often while it counts against a limit. */
export function describeKilledLedger(kills: number): void {
  describe("a ledger whose process is killed", () => {
    let place: LedgerPlace
    before(async () => {
      place = await ledgerPlace()
    })
    after(() => place.remove())

    it("holds every nonce that was told, and goes on above all of them", async () => {
      const told: number[] = []
      for (let run = 0; run < kills; run++) {
        const child = startLedgerChild(place.file, "reserve")
        const lastLine = 1 + randomInt(80)
        const lines = await linesOf(child, (_line, count) => {
          if (count === lastLine) child.kill("SIGKILL")
        })
        told.push(...noncesOf(lines))

        const ledger = await openLedger({ file: place.file, clock: systemClock })
        const next = await reserved(ledger, systemClock.nowMs())
        await ledger.close()

        const recorded = recordedNonces(place.file)
        const known = new Set(recorded)
        assert.deepEqual(
          told.filter((nonce) => !known.has(nonce)),
          [],
        )
        assert.equal(known.size, recorded.length, "no nonce twice")
        assert.ok(recorded.every((nonce) => nonce <= next.nonce))
        told.push(next.nonce)
      }
      assert.equal(new Set(told).size, told.length, "no nonce told twice")
    })
  })

  describe("a limit whose process is killed", () => {
    let place: LedgerPlace
    before(async () => {
      place = await ledgerPlace()
    })
    after(() => place.remove())

    it("admits no more than its maximum in all, however often that happens, and in the end exactly that", async () => {
      const max = Number(childLimit)
      let told = 0
      for (let kill = 0; kill < kills; kill++) {
        const child = startLedgerChild(place.file, "limit")
        const lastLine = 1 + randomInt(40)
        const lines = await linesOf(child, (_line, count) => {
          if (count === lastLine) child.kill("SIGKILL")
        })
        told += noncesOf(lines).length
        assert.ok(told <= max)
      }
      const lines = await linesOf(startLedgerChild(place.file, "limit"))
      told += noncesOf(lines).length
      assert.equal(lines.filter((line) => line === "spent").length, 4)
      assert.ok(told <= max)
      assert.equal(recordedNonces(place.file).length, max, "what was never told counts too")
    })
  })
}
