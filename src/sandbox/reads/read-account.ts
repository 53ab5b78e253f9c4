// Account reads. Paths and records are invented, and so is that anyone may read them.

import { ok, type Result } from "../../std/result.ts"
import { listSettings } from "../accounts/account-settings.ts"
import { isAccount } from "../state/accounts.ts"
import { reject, type Rejection } from "../state/error-codes.ts"
import { listBalances } from "../state/funds.ts"
import { pageOf, readAccount, readPaging } from "../state/page.ts"
import type { Outcome, Read, Venue } from "../state/turn.ts"

/** `GET /v1/account/balances?account_address=` */
export const readBalances: Read = (query, { venue }) =>
  forAccount(query, venue, (account) => {
    const list = listBalances(venue.funds, account)
    return { data: { list }, note: `${list.length} balances` }
  })

/** `GET /v1/account/settings?account_address=` */
export const readSettings: Read = (query, { venue }) =>
  forAccount(query, venue, (account) => ({
    data: listSettings(venue, account),
    note: "settings",
  }))

/** `GET /v1/account/agents?account_address=` */
export const readAgents: Read = (query, { venue }) =>
  forAccount(query, venue, (account) => {
    const list = Array.from(venue.accounts.agents)
      .filter(([, agent]) => agent.account === account)
      .map(([agent_address, { expiresAtMs, isRevoked }]) => ({
        agent_address,
        expires_at: expiresAtMs,
        is_revoked: isRevoked,
      }))
    return { data: { list }, note: `${list.length} agents` }
  })

/** `GET /v1/account/sub-accounts?account_address=&limit=&cursor=` */
export const readSubAccounts: Read = (query, { venue }) => {
  const paging = readPaging(query)
  if (!paging.ok) return paging
  return forAccount(query, venue, (account) => {
    const owned = Array.from(venue.accounts.subs, ([address, sub]) => ({ address, ...sub })).filter(
      ({ owner }) => owner === account,
    )
    const { list, ...rest } = pageOf(owned, paging.value, ({ number }) => number)
    const subs = list.map(({ address, label, createdAtMs }) => ({
      sub_address: address,
      label,
      created_at: createdAtMs,
    }))
    return { data: { list: subs, ...rest }, note: `${list.length} sub-accounts` }
  })
}

function forAccount(
  query: URLSearchParams,
  { accounts }: Venue,
  read: (account: string) => Outcome,
): Result<Outcome, Rejection> {
  const account = readAccount(query)
  if (!account.ok) return account
  return account.value !== undefined && isAccount(accounts, account.value)
    ? ok(read(account.value))
    : reject("unknown_account", "account_address must be an account's.")
}
