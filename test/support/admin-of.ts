import type { AdminResults } from "../../src/link/calls/methods.ts"
import type { Admin } from "../../src/commands/installation/admin.ts"
import type { TestVault } from "./open-test-vault.ts"

/** The admin socket's calls of a vault in this process. */
export function adminOf({ admin }: Pick<TestVault, "admin">): Pick<Admin, "call"> {
  return {
    call: (method, params) => {
      // The table pairs each method with its own parameters; TypeScript can't follow that through a union.
      const run = admin[method] as (params: unknown) => Promise<AdminResults[typeof method]>
      return run(params)
    },
  }
}
