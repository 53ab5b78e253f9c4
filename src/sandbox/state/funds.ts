import { reject, type Rejection } from "./error-codes.ts"
import { decimalText, readUnits } from "./market.ts"

/** Pretend balances: units by asset by account. Orders and fills don't touch them. */
export type Funds = Map<string, Map<string, bigint>>

/** What every wallet starts with. Invented. */
const startingBalances: Readonly<Record<string, string>> = {
  USD: "1000000",
  USDC: "1000000",
  BTC: "10",
}

type Payment = {
  readonly account: string
  readonly asset: string
  /** A decimal string that was checked. */
  readonly amount: string
}

/** Lets a sub-account start with nothing. */
export function openEmpty(funds: Funds, account: string): void {
  funds.set(account, new Map())
}

/** Adds to a balance. */
export function credit(funds: Funds, { account, asset, amount }: Payment): void {
  const balances = balancesOf(funds, account)
  balances.set(asset, (balances.get(asset) ?? 0n) + readUnits(amount))
}

/** Takes from a balance, or refuses and takes nothing. */
export function debit(funds: Funds, { account, asset, amount }: Payment): Rejection | undefined {
  const balances = balancesOf(funds, account)
  const rest = (balances.get(asset) ?? 0n) - readUnits(amount)
  if (rest < 0n) {
    return reject("insufficient_balance", "The account doesn't hold that much of this asset.").error
  }
  balances.set(asset, rest)
  return undefined
}

/** An account's balances as a read shows them, by asset. */
export function listBalances(
  funds: Funds,
  account: string,
): readonly { readonly asset: string; readonly available: string }[] {
  return Array.from(balancesOf(funds, account))
    .map(([asset, units]) => ({ asset, available: decimalText(units) }))
    .sort((left, right) => (left.asset < right.asset ? -1 : 1))
}

function balancesOf(funds: Funds, account: string): Map<string, bigint> {
  const known = funds.get(account)
  if (known !== undefined) return known
  const started = new Map(
    Object.entries(startingBalances).map(([asset, amount]) => [asset, readUnits(amount)]),
  )
  funds.set(account, started)
  return started
}
