import { adminParams, type AdminParams } from "../../link/calls/methods.ts"
import { Fault } from "../../std/fault.ts"
import type { Installation } from "../../vault/config/installation.ts"
import type { Admin, VaultAccess, OpenAdmin } from "./admin.ts"
import { becomeOwner } from "./become-owner.ts"
import { dialAdmin } from "./dial-admin.ts"

/**
 * Dials the daemon's admin socket, or opens the vault in this process under the same exclusive lock
 * when no daemon runs. One code path, two transports.
 */
export async function withVault<Answer>(
  access: VaultAccess,
  use: (admin: Admin) => Promise<Answer>,
): Promise<Answer> {
  becomeOwner(access.installation.stateDir)
  const running = await dial(access.installation)
  const admin = running ?? (await openHere(access))
  try {
    return await use({
      daemon: admin.daemon,
      call: async (method, params) => admin.call(method, checked(method, params)),
    })
  } finally {
    await admin.close()
  }
}

/** As {@link withVault}, for what needs no private key: no passphrase is asked for. */
export function withAdmin<Answer>(
  installation: Installation,
  use: (admin: Admin) => Promise<Answer>,
): Promise<Answer> {
  return withVault({ installation, secret: "without_keys" }, use)
}

async function dial(installation: Installation): Promise<OpenAdmin | undefined> {
  const link = await dialAdmin(installation)
  if (link === undefined) return undefined
  return {
    daemon: "running",
    call: (method, params) => link.call(method, params),
    close: () => {
      link.close()
      return Promise.resolve()
    },
  }
}

/** The vault's modules are loaded only here: where a daemon answers, they would be most of a command's time. */
async function openHere(access: VaultAccess): Promise<OpenAdmin> {
  return (await import("./open-here.ts")).openHere(access)
}

/** Checks what was typed, so that a wrong name is told alike whoever would answer. */
function checked<Method extends keyof AdminParams>(
  method: Method,
  params: AdminParams[Method],
): AdminParams[Method] {
  const parsed = adminParams[method].safeParse(params)
  if (parsed.success) return params
  const { path = [], message = "" } = parsed.error.issues[0] ?? {}
  throw new Fault("usage", `Mend ${path.map(String).join(".")}: ${message}.`)
}
