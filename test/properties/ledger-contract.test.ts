import { describe, it } from "node:test"

import type { OpenStore } from "../../src/vault/ledger/store/store.ts"
import { startMs } from "../support/fake-clock.ts"
import { engines } from "../support/ledger-engines.ts"
import { contract, type Reopened } from "./ledger-contract.ts"

for (const [name, place] of Object.entries(engines)) {
  describe(`the ledger's engine: ${name}`, () => {
    for (const [says, holds] of Object.entries(contract)) {
      it(says, async (t) => {
        const { openStore, remove } = await place()
        let last = await open(openStore)
        t.after(async () => {
          await last.store.close()
          await remove()
        })
        await holds({
          ...last,
          async reopen() {
            await last.store.close()
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
