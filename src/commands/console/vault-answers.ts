import type { AdminLink } from "../../link/client.ts"
import { Fault } from "../../std/fault.ts"
import type { Installation } from "../../vault/config/installation.ts"
import type { Admin } from "../installation/admin.ts"
import { dialAdmin } from "../installation/dial-admin.ts"
import type { Answers } from "./answer-asks.ts"

export type VaultCalls = Pick<Admin, "call"> & { close(): void }

/** Calls the daemon's vault. After a failure it is dialled anew: one that was started again has another secret. */
export function vaultCalls(installation: Installation): VaultCalls {
  let link: AdminLink | undefined
  const close = (): void => {
    link?.close()
    link = undefined
  }
  return {
    async call(method, params) {
      try {
        link ??= await dialAdmin(installation)
        if (link === undefined) throw nothingToShow()
        return await link.call(method, params)
      } catch (error) {
        close()
        throw error
      }
    },
    close,
  }
}

/** What the console may have of the vault, and the one thing that it may do to it. `by`: who does it, for the record. */
export function vaultAnswers(
  { call }: Pick<Admin, "call">,
  by: string,
): Omit<Answers, "listening"> {
  return {
    look: async () => ({ ...(await call("status", {})), ...(await call("auditDecisions", {})) }),
    record: async ({ id }) => ({
      record: await call("auditRecord", { id }),
      symbols: await call("listSymbols", {}),
    }),
    freeze: ({ reason }) => call("freeze", { scope: "all", name: null, reason, cancels: true, by }),
  }
}

function nothingToShow(): Fault {
  return new Fault(
    "vault_unavailable",
    "No daemon runs here, so there is nothing to show; countersign serve starts one.",
  )
}
