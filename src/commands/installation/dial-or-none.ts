import type { AdminLink } from "../../link/client.ts"
import { Fault } from "../../std/fault.ts"
import type { Installation } from "../../vault/config/installation.ts"
import { dialAdmin } from "./dial-admin.ts"

/** For what goes on while a daemon stops and another starts: `undefined` where none answers. */
export async function dialOrNone(installation: Installation): Promise<AdminLink | undefined> {
  try {
    return await dialAdmin(installation)
  } catch (error) {
    if (isLoss(error)) return undefined
    throw error
  }
}

/** Whether an error says that the daemon has gone. One that starts anew has another secret. */
export function isLoss(error: unknown): boolean {
  const codes = ["vault_unavailable", "ledger_unavailable", "admin_refused"]
  return error instanceof Fault && codes.includes(error.code)
}
