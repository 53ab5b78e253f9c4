import { Fault } from "../../std/fault.ts"
import type { FileSet } from "../config/file-set.ts"

/** Refuses files that change settings which take effect only at a start. @throws {Fault} `usage`. */
export function assertReloadable(active: FileSet, next: FileSet): void {
  const settings = [
    { name: "listen", of: ({ config }: FileSet) => config.listen },
    { name: "allowed_hosts", of: ({ config }: FileSet) => config.allowedHosts },
    { name: "keystore", of: ({ config }: FileSet) => config.keystore },
    { name: "signer_dir", of: ({ config }: FileSet) => config.signerDir },
    { name: "base_url", of: ({ profile }: FileSet) => profile.baseUrl },
    { name: "upstream", of: ({ config }: FileSet) => config.upstream },
    { name: "reload_on_change", of: ({ config }: FileSet) => config.reloadOnChange },
  ]
  const changed = settings.find(({ of }) => JSON.stringify(of(active)) !== JSON.stringify(of(next)))
  if (changed === undefined) return
  throw new Fault(
    "usage",
    `${changed.name} can't change while the daemon runs; restart it, or put the old value back. The old files stay in force.`,
  )
}
