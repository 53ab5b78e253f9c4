import { dayMs } from "../../std/time/duration.ts"
import { ok, type Result } from "../../std/result.ts"
import { reject, type Rejection } from "./error-codes.ts"
import { decimalText, readUnits } from "./market.ts"

/** Who may trade. Addresses are in lower case. */
export type Accounts = {
  /** Whoever signs has an account, and may say that others are its own: nobody approves what trades on paper. */
  readonly isOpen: boolean
  readonly wallets: Set<string>
  readonly agents: Map<string, Agent>
  readonly subs: Map<string, SubAccount>
}

/** An account without a key of its own: its owner's wallet and agents operate it by `target_address`. */
type SubAccount = {
  readonly number: number
  readonly owner: string
  readonly label: string
  readonly createdAtMs: number
}

export type Agent = {
  readonly account: string
  readonly expiresAtMs: number
  readonly isRevoked: boolean
}

/** The account that `signer` operates now: a wallet its own, an agent that of the wallet that approved it. */
export function accountOf(
  { isOpen, wallets, agents }: Accounts,
  signer: string,
  nowMs: number,
): Result<string, Rejection> {
  if (wallets.has(signer)) return ok(signer)
  const agent = agents.get(signer)
  if (agent === undefined) {
    if (isOpen) return ok(signer)
    return reject("unknown_signer", "The signer is neither an account nor an approved agent.")
  }
  if (agent.isRevoked) return reject("agent_revoked", "The signer's approval was revoked.")
  if (nowMs >= agent.expiresAtMs) {
    return reject("agent_expired", "The signer's approval as an agent has ended.")
  }
  return ok(agent.account)
}

/** Whether `account` is the owner's own or one of its sub-accounts. */
export function isOwn({ isOpen, subs }: Accounts, owner: string, account: string): boolean {
  return isOpen || account === owner || subs.get(account)?.owner === owner
}

/** Whether there is such an account, sub-accounts included. */
export function isAccount({ isOpen, wallets, subs }: Accounts, account: string): boolean {
  return isOpen || wallets.has(account) || subs.has(account)
}

/** Refuses a Type B request of a key that is an agent's: the interface wants the wallet's. */
export function checkWallet({ agents }: Accounts, signer: string): Rejection | undefined {
  return agents.has(signer)
    ? reject("wallet_required", "Agent keys can't sign Type B requests.").error
    : undefined
}

/** Approves an agent for `validDays` from now. That a wallet or another's agent can't be one is invented. */
export function approveAgent(
  accounts: Accounts,
  approval: {
    readonly wallet: string
    readonly agent: string
    readonly validDays: number
    readonly nowMs: number
  },
): Result<Agent, Rejection> {
  const { wallets, agents } = accounts
  const { wallet, agent, validDays, nowMs } = approval
  if (isAccount(accounts, agent) || agent === wallet) {
    return reject("agent_taken", "An account's own address can't be approved as an agent.")
  }
  const earlier = agents.get(agent)
  if (earlier !== undefined && earlier.account !== wallet && isInForce(earlier, nowMs)) {
    return reject("agent_taken", "This agent is approved for another account.")
  }
  const approved = { account: wallet, expiresAtMs: nowMs + validDays * dayMs, isRevoked: false }
  wallets.add(wallet)
  agents.set(agent, approved)
  return ok(approved)
}

/** Ends an approval at once. */
export function revokeAgent(
  { wallets, agents }: Accounts,
  wallet: string,
  agent: string,
): Rejection | undefined {
  const approved = agents.get(agent)
  if (approved?.account !== wallet) {
    return reject("unknown_agent", "This account has approved no such agent.").error
  }
  wallets.add(wallet)
  agents.set(agent, { ...approved, isRevoked: true })
  return undefined
}

/** Lets an approval that is in force end `validDays` from now. That one that has ended can't be renewed is invented. */
export function renewAgent(
  { wallets, agents }: Accounts,
  renewal: {
    readonly wallet: string
    readonly agent: string
    readonly validDays: number
    readonly nowMs: number
  },
): Result<Agent, Rejection> {
  const { wallet, agent, validDays, nowMs } = renewal
  const approved = agents.get(agent)
  if (approved?.account !== wallet) {
    return reject("unknown_agent", "This account has approved no such agent.")
  }
  if (approved.isRevoked) return reject("agent_revoked", "The agent's approval was revoked.")
  if (!isInForce(approved, nowMs)) return reject("agent_expired", "The agent's approval has ended.")
  const renewed = { ...approved, expiresAtMs: nowMs + validDays * dayMs }
  wallets.add(wallet)
  agents.set(agent, renewed)
  return ok(renewed)
}

function isInForce({ isRevoked, expiresAtMs }: Agent, nowMs: number): boolean {
  return !isRevoked && nowMs < expiresAtMs
}

export type AccountSettings = {
  positionMode: "one_way" | "hedge"
  /** By symbol id. */
  readonly leverage: Map<number, number>
  /** Units by symbol id, in the symbol's quote asset. */
  readonly margin: Map<number, bigint>
}

export type SettingsByAccount = Map<string, AccountSettings>

/** Pretend balances: units by asset by account. Orders and fills touch them in a market alone, where they can fall below zero. */
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

/** Balances as a read shows them, by asset. */
export function listBalances(
  balances: ReadonlyMap<string, bigint>,
): readonly { readonly asset: string; readonly available: string }[] {
  return Array.from(balances)
    .map(([asset, units]) => ({ asset, available: decimalText(units) }))
    .sort((left, right) => (left.asset < right.asset ? -1 : 1))
}

/** An account's balances; a wallet's begin at the first look at them. */
export function balancesOf(funds: Funds, account: string): Map<string, bigint> {
  const known = funds.get(account)
  if (known !== undefined) return known
  const started = new Map(
    Object.entries(startingBalances).map(([asset, amount]) => [asset, readUnits(amount)]),
  )
  funds.set(account, started)
  return started
}
