import type { BudgetView } from "../link/views.ts"
import type { Address } from "../venue/address.ts"
import type { Client } from "./bindings.ts"
import type { BudgetScope } from "./ledger/budgets.ts"
import { addressesOf, termsOf } from "./spending.ts"
import type { Vault } from "./vault.ts"

/** `GET /limits`: the venue's rate budgets that this client's requests count in, but for those that are off. */
export function budgetsOfClient(
  client: Client,
  { active, ledger }: Pick<Vault, "active" | "ledger">,
): readonly BudgetView[] {
  const set = active()
  const view = (scope: BudgetScope, address: Address | undefined): readonly BudgetView[] => {
    const terms = termsOf(scope, address, set)
    if (terms === undefined) return []
    const { max, used, own, left } = ledger.budgets.stand(client.name, terms, address)
    return [{ scope, address: address ?? null, max, used, own, left }]
  }
  const ofAddresses = addressesOf(client, set).flatMap((address) => view("address", address))
  return [...view("ip", undefined), ...ofAddresses]
}
