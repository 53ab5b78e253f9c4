import type { StatusView } from "../../link/views/views.ts"
import { Fault } from "../../std/fault.ts"
import type { Admin } from "./admin.ts"

/**
 * How a daemon stands.
 *
 * @throws {Fault} `vault_unavailable` where it was started by a version of the program whose answer has another form.
 */
export async function askStatus(admin: Pick<Admin, "call">): Promise<StatusView> {
  const status = await admin.call("status", {})
  const { state }: { readonly state: unknown } = status
  if (typeof state === "object") return status
  throw new Fault(
    "vault_unavailable",
    "The daemon that runs was started by another version of countersign; restart it, then run this again.",
  )
}
