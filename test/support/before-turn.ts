import type { TestContext } from "node:test"

import type { Ledger } from "../../src/vault/ledger/ledger.ts"
import type { Act } from "../../src/vault/ledger/records/row.ts"
import type { TestVault } from "./open-test-vault.ts"

/** Has `entry` be recorded while the vault's next decision waits for its turn, as another host's is. */
export function actBeforeTurn(
  t: Pick<TestContext, "mock">,
  { vault }: TestVault,
  entry: Act,
): void {
  const { ledger } = vault
  const decide = ledger.decide.bind(ledger)
  const decideLate: Ledger["decide"] = async (keys, step) => {
    await vault.act(entry)
    return decide(keys, step)
  }
  t.mock.method(ledger, "decide", decideLate, { times: 1 })
}
