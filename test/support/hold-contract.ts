import { describe, it } from "node:test"

import type { OpenStore } from "../../src/vault/ledger/store/store.ts"
import { aloneContract, contract, type Reopened } from "../properties/ledger-contract.ts"
import { startMs } from "./fake-clock.ts"
import type { EnginePlace } from "./ledger-engines.ts"

/** Holds an engine to what any engine does: a test for each case, each with a ledger of its own. */
export function holdContract(
  name: string,
  place: () => Promise<EnginePlace>,
  cases = { ...contract, ...aloneContract },
): void {
  describe(`the ledger's engine: ${name}`, () => {
    for (const [says, holds] of Object.entries(cases)) {
      it(says, async (t) => {
        const { openStore, remove } = await place()
        let last: Reopened | undefined
        t.after(async () => {
          await last?.store.close()
          await remove()
        })
        const first = (last = await open(openStore))
        await holds({
          ...first,
          async reopen() {
            await last?.store.close()
            last = await open(openStore)
            return last
          },
        })
      })
    }
  })
}

async function open(openStore: OpenStore): Promise<Reopened> {
  const opened = await openStore(startMs)
  return { ...opened, reopen: () => Promise.reject(new Error("opened by the test alone")) }
}
