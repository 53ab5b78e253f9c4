import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { after, before, describe, it } from "node:test"
import { fileURLToPath } from "node:url"

import { systemClock } from "../../src/vault/clock.ts"
import { openLedger } from "../../src/vault/ledger/open-ledger.ts"
import { childLimit, ledgerPlace, reserved, type LedgerPlace } from "../support/ledger-ask.ts"
import { readLedger } from "../support/read-ledger.ts"
import { numRuns } from "../support/runs.ts"

const script = fileURLToPath(new URL("../support/ledger-child.ts", import.meta.url))

function start(file: string, work: "hold" | "reserve" | "limit", maxFileBlocks?: number) {
  const command = [process.execPath, script, file, work]
  // POSIX counts in blocks of 512 bytes (dash), bash in 1,024; either will do.
  const limited = ["-c", `ulimit -f ${maxFileBlocks ?? 0}; exec "$@"`, "sh", ...command]
  return maxFileBlocks === undefined
    ? spawn(process.execPath, command.slice(1), { stdio: ["pipe", "pipe", "inherit"] })
    : spawn("sh", limited, { stdio: ["pipe", "pipe", "inherit"] })
}

/** Reads lines to the end of the output; `onLine` gets each as it comes. */
async function linesOf(
  child: ReturnType<typeof start>,
  onLine: (line: string, count: number) => void = () => undefined,
): Promise<readonly string[]> {
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line)
    onLine(line, lines.length)
  }
  return lines
}

function noncesOf(lines: readonly string[]): readonly number[] {
  return lines.flatMap((line) => (line.startsWith("nonce ") ? [Number(line.slice(6))] : []))
}

function recordedNonces(file: string): readonly number[] {
  return readLedger(file)
    .filter(({ kind }) => kind === "request")
    .map(({ row }) => row["nonce"] as number)
}

describe("a ledger whose process is killed", () => {
  let place: LedgerPlace
  before(async () => {
    place = await ledgerPlace()
  })
  after(() => place.remove())

  it("holds every nonce that was told, and goes on above all of them", async () => {
    const told: number[] = []
    for (let run = 0; run < numRuns(20).numRuns; run++) {
      const child = start(place.file, "reserve")
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
    for (let kill = 0; kill < numRuns(20).numRuns; kill++) {
      const child = start(place.file, "limit")
      const lastLine = 1 + randomInt(40)
      const lines = await linesOf(child, (_line, count) => {
        if (count === lastLine) child.kill("SIGKILL")
      })
      told += noncesOf(lines).length
      assert.ok(told <= max)
    }
    const lines = await linesOf(start(place.file, "limit"))
    told += noncesOf(lines).length
    assert.equal(lines.filter((line) => line === "spent").length, 4)
    assert.ok(told <= max)
    assert.equal(recordedNonces(place.file).length, max, "what was never told counts too")
  })
})

describe("a ledger that is open in another process", () => {
  let place: LedgerPlace
  before(async () => {
    place = await ledgerPlace()
  })
  after(() => place.remove())

  for (const file of ["new", "existing"]) {
    it(`can't be opened a second time (${file} file)`, async () => {
      const child = start(place.file, "hold")
      const [first] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string]
      assert.equal(first, "open\n")
      await assert.rejects(openLedger({ file: place.file, clock: systemClock }), {
        name: "Fault",
        code: "already_running",
        message: /stop it first/,
      })
      child.stdin.end()
      await once(child, "exit")

      const ledger = await openLedger({ file: place.file, clock: systemClock })
      await ledger.close()
    })
  }
})

describe("a ledger whose disk refuses a write", () => {
  let place: LedgerPlace
  before(async () => {
    place = await ledgerPlace()
  })
  after(() => place.remove())

  it("rejects from then on, and has recorded every nonce that it told", async () => {
    const lines = await linesOf(start(place.file, "reserve", 600))
    const told = noncesOf(lines)
    assert.ok(told.length > 0)
    assert.deepEqual(
      lines.filter((line) => !line.startsWith("nonce ")),
      [
        "open",
        ...Array.from({ length: 4 }, () => "broken ledger_unavailable"),
        "again ledger_unavailable",
        "note ledger_unavailable",
        "closed",
      ],
    )

    const ledger = await openLedger({ file: place.file, clock: systemClock })
    const next = await reserved(ledger, systemClock.nowMs())
    await ledger.close()
    const recorded = recordedNonces(place.file)
    assert.deepEqual(
      told.filter((nonce) => !recorded.includes(nonce)),
      [],
    )
    assert.ok(told.every((nonce) => nonce < next.nonce))
  })
})
