import type { AdminParams, AdminResults } from "../../link/calls/methods.ts"
import { Fault } from "../../std/fault.ts"
import { isThere } from "../../std/private-file.ts"
import { pathsOf, type Installation } from "../../vault/config/installation.ts"
import { openClosedLedger } from "../../vault/ledger/audit/closed-ledger.ts"
import { becomeOwner } from "../installation/become-owner.ts"
import { dialAdmin } from "../installation/dial-admin.ts"

/** Who checks a ledger: the daemon that has it open, or this process. */
export type Auditor = {
  ends(): Promise<Pick<AdminResults["auditEnds"], "archived_seq" | "archived_hash" | "public_key">>
  /** So that the journal ends with one; where a daemon runs. */
  checkpoint(): Promise<void>
  verify(params: AdminParams["auditVerify"]): Promise<AdminResults["auditVerify"]>
  verifyTables(params: AdminParams["auditVerifyTables"]): Promise<AdminResults["auditVerifyTables"]>
  close(): void
}

/**
 * Dials the daemon, or opens the ledger here under its lock, without starting anything by it: it may be
 * too broken for that.
 *
 * @throws {Fault}
 */
export async function openAuditor(installation: Installation): Promise<Auditor> {
  becomeOwner(installation.stateDir)
  const link = await dialAdmin(installation)
  if (link === undefined) return openHere(pathsOf(installation).ledgerFile)
  return {
    ends: () => link.call("auditEnds", {}),
    checkpoint: async () => {
      await link.call("auditCheckpoint", {})
    },
    verify: (params) => link.call("auditVerify", params),
    verifyTables: (params) => link.call("auditVerifyTables", params),
    close: () => link.close(),
  }
}

async function openHere(file: string): Promise<Auditor> {
  if (!isThere(file)) {
    throw new Fault("not_initialised", `${file} doesn't exist; run countersign init first.`)
  }
  const ledger = await openClosedLedger(file)
  return {
    ends: () => Promise.resolve(ledger.ends()),
    checkpoint: () => Promise.resolve(),
    verify: ({ from, count }) => Promise.resolve(ledger.check(from, count)),
    verifyTables: ({ from, position }) => Promise.resolve(ledger.checkTables(from, position)),
    close: () => ledger.close(),
  }
}
