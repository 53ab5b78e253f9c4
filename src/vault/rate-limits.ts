import type { BotResults } from "../link/methods.ts"
import type { RateLimit } from "../link/signed.ts"
import type { BudgetScope, Spending } from "./ledger/budgets.ts"
import type { Asking } from "./sign-request.ts"
import { termsOf } from "./spending.ts"
import type { Vault } from "./vault.ts"

type Asked = Asking & { readonly spending?: Spending }

/** An answer with what it leaves the client of the venue's rate budgets, unless it is one of a batch. */
export function withRateLimits(
  answer: BotResults["sign"],
  asked: Asked,
  vault: Pick<Vault, "ledger">,
): BotResults["sign"] {
  const rateLimits = asked.isAlone ? rateLimitsOf(asked, vault) : []
  return rateLimits.length === 0 ? answer : { ...answer, rateLimits }
}

/**
 * The budgets that a request spends, but for those that are off. Of one that can't be read it isn't known which
 * address it is for.
 */
function rateLimitsOf(
  { client, set, spending }: Asked,
  { ledger }: Pick<Vault, "ledger">,
): readonly RateLimit[] {
  const terms = spending?.terms ?? { ip: termsOf("ip", undefined, set), address: undefined }
  const limit = (scope: BudgetScope): readonly RateLimit[] => {
    const ofScope = terms[scope]
    if (ofScope === undefined) return []
    const address = scope === "ip" ? undefined : spending?.address
    const { max, left, freesInMs } = ledger.budgets.stand(client.name, ofScope, address)
    return [{ scope, max, left, freesInMs: freesInMs ?? null }]
  }
  return [...limit("address"), ...limit("ip")]
}
