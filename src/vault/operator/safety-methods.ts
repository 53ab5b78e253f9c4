import { randomBytes } from "node:crypto"
import { isDeepStrictEqual } from "node:util"

import type { AdminParams, AdminResults } from "../../link/calls/methods.ts"
import { Fault } from "../../std/fault.ts"
import type { Acts, FilesInForce } from "../active/active-set.ts"
import { claimSigners } from "../custody/custody.ts"
import type { Ledger } from "../ledger/ledger.ts"

/** The calls about the clock, and about ledgers that were copied or restored. */
export function safetyMethods(
  parts: { readonly ledger: Ledger } & Acts & Pick<FilesInForce, "inTurn">,
) {
  return {
    lookAtClock: () => Promise.resolve(parts.ledger).then(lookAtClock),
    acceptClock: (params: AdminParams["acceptClock"]) => acceptClock(params, parts.ledger, parts),
    lookAtRestore: () => parts.inTurn(() => lookAtRestore(parts.ledger, parts)),
    acceptRestore: (params: AdminParams["acceptRestore"]) =>
      parts.inTurn(() => acceptRestore(params, parts.ledger, parts)),
    recordBackup: async (head: AdminParams["recordBackup"]) => ({
      record: await parts.act({ act: "backed_up", ...head }),
    }),
  }
}

/** @throws {Fault} `usage` where nothing is doubted. */
function lookAtClock({ clock }: Pick<Ledger, "clock">): AdminResults["lookAtClock"] {
  const why = clock.doubt() ?? clock.warning()
  if (why === undefined) throw new Fault("usage", "The clock isn't doubted; nothing was changed.")
  return { ...clock.wall(), why }
}

/** A clock is slewed by less than this while a person looks at it. */
const maxSlewMs = 1_000

/** @throws {Fault} `usage` where the clock was set since it was shown, or another vault showed it. */
async function acceptClock(
  { offset_ms: shownMs }: AdminParams["acceptClock"],
  { clock }: Ledger,
  acts: Acts,
): Promise<AdminResults["acceptClock"]> {
  const { offset_ms: offsetMs } = lookAtClock({ clock })
  if (Math.abs(offsetMs - shownMs) > maxSlewMs) {
    throw new Fault("usage", "The clock was set since it was shown; look at it again.")
  }
  const nowMs = clock.accept()
  return { record: await acts.act({ act: "clock_accepted" }), now: nowMs }
}

/** @throws {Fault} `usage` where none waits. */
async function lookAtRestore(ledger: Ledger, acts: Acts) {
  await claimSigners(acts.active(), ledger)
  const signers = ledger.marks.waiting()
  if (signers.length > 0) return { signers }
  throw new Fault("usage", "No signer waits: the ledger is the one that its signers know.")
}

/** The act first: a crash before the marks are written leaves them waiting, and this is run again. */
async function acceptRestore(
  { signers: shown }: AdminParams["acceptRestore"],
  ledger: Ledger,
  acts: Acts,
): Promise<AdminResults["acceptRestore"]> {
  const { signers } = await lookAtRestore(ledger, acts)
  if (!isDeepStrictEqual(shown, signers)) {
    throw new Fault("usage", "Other signers wait than were shown; look at them again.")
  }
  const name = randomBytes(16).toString("hex")
  const record = await acts.act({ act: "restore_accepted", ledger: name, signers })
  await ledger.marks.accept(name)
  return { record, signers }
}
