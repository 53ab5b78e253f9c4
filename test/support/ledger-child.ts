import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"

import { Fault } from "../../src/std/fault.ts"
import type { Ledger } from "../../src/vault/ledger/ledger.ts"
import { openLedger } from "../../src/vault/ledger/open-ledger.ts"
import { systemClock } from "../../src/vault/process/clock.ts"
import { aClaim, hourMs } from "./a-claim.ts"
import { ledgerTime } from "./fake-clock.ts"
import { childLimit, plainAsk, refusalEntry, reserveAt, reserve } from "./ledger-ask.ts"

// A process of its own that opens the ledger in argv[2] and works on it as argv[3] says:
// `hold` keeps it open until stdin ends; `reserve` reserves until it is killed or the ledger breaks, and
// prints each nonce once its promise has resolved; `limit` does so under a limit of `childLimit` an hour
// until it is killed or the limit is spent.

const [, , file = "", work] = process.argv

try {
  const ledger = await openLedger({ file, clock: systemClock })
  print("open")
  if (work === "reserve") await reserveUntilBroken(ledger)
  else if (work === "limit") await reserveUntilSpent(ledger)
  else await untilInputEnds()
  await ledger.close()
  print("closed")
} catch (error) {
  print(`fault ${faultCode(error)}`)
}

async function reserveUntilBroken(ledger: Ledger): Promise<void> {
  await Promise.all(Array.from({ length: 4 }, () => reserveInLoop(ledger)))
  await reserveAt(ledger, systemClock.nowMs()).catch((error: unknown) => {
    print(`again ${faultCode(error)}`)
  })
  try {
    ledger.note(refusalEntry(), ledgerTime(systemClock.nowMs()))
  } catch (error) {
    print(`note ${faultCode(error)}`)
  }
}

async function reserveInLoop(ledger: Ledger): Promise<void> {
  try {
    for (;;) {
      const reservation = await reserveAt(ledger, systemClock.nowMs())
      if (reservation.kind === "reserved") print(`nonce ${reservation.nonce}`)
      else await sleep(1) // four loops are faster than one nonce a millisecond
    }
  } catch (error) {
    print(`broken ${faultCode(error)}`)
  }
}

async function reserveUntilSpent(ledger: Ledger): Promise<void> {
  const claim = aClaim({ max: childLimit })
  const countedBy = "the child's limit"
  await ledger.replaceMeters(() => [claim], hourMs, { countedBy })
  const reserveInTurn = async (): Promise<void> => {
    for (;;) {
      const nowMs = systemClock.nowMs()
      const reservation = await reserve(ledger, {
        ...plainAsk,
        claims: [claim],
        nowMs: ledgerTime(nowMs),
      })
      if (reservation.kind === "reserved") print(`nonce ${reservation.nonce}`)
      else if (reservation.refusal.code !== "signer_pace") break
      else await sleep(1)
    }
    print("spent")
  }
  await Promise.all(Array.from({ length: 4 }, reserveInTurn))
}

async function untilInputEnds(): Promise<void> {
  await once(process.stdin.resume(), "end")
}

function faultCode(error: unknown): string {
  return error instanceof Fault ? error.code : String(error)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
