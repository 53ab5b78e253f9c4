import { sandboxProfile, sandboxUrl } from "../../src/sandbox/profile.ts"
import { boundSet } from "../../src/vault/active/active-set.ts"
import type { FileSet } from "../../src/vault/config/load-files.ts"
import { openAccounts, type GuardedAccount } from "../../src/vault/guards/accounts.ts"
import { bindingsOf } from "../../src/vault/ledger/bindings.ts"
import type { KeyEntry } from "../../src/vault/ledger/records/bindings.ts"
import { actRow } from "../../src/vault/ledger/records/entries.ts"
import { makeRecordId } from "../../src/vault/ledger/records/record-id.ts"
import type { Act } from "../../src/vault/ledger/records/row.ts"
import {
  changesOf,
  nothingStands,
  withChanges,
  type StandingFields,
} from "../../src/vault/ledger/records/standing.ts"
import { followEquity } from "../../src/vault/operator/follow-equity.ts"
import { guardMethods } from "../../src/vault/operator/guard-methods.ts"
import { parsePolicies } from "../../src/vault/policy/file/policy-file.ts"
import { boundsLoss, lossNow } from "../../src/vault/request/guard-losses.ts"
import { formatDecimal } from "../../src/venue/decimal.ts"
import { parseProfile } from "../../src/venue/profile/profile-file.ts"
import { ledgerTime } from "./fake-clock.ts"
import { guardedWallet, valuedAccount } from "./guarded-account.ts"
import { decimal } from "./guards/exposures.ts"

/** An account under guards on losses, with what a vault has of it and no vault: what is recorded stands in memory. */
export function followLosses(guards: string, startMs: number) {
  const files = filesOf(guards)
  const poll = files.profile.accountPoll
  let standing: StandingFields = { ...nothingStands, ...whoTrades() }
  let nowMs = startMs
  let account = openAccount()
  let acts = 0

  function openAccount(): GuardedAccount {
    const [opened] = openAccounts(poll, nowMs).values()
    if (opened === undefined) throw new Error("venue.yaml has no account")
    return opened
  }

  const active = () => boundSet(files, bindingsOf(standing))
  const act = (said: Act) => {
    // As it is read again from the ledger.
    const row = JSON.parse(JSON.stringify(actRow(said, ledgerTime(nowMs)))) as Parameters<
      typeof changesOf
    >[0]
    standing = withChanges(standing, changesOf(row, standing))
    acts += 1
    return Promise.resolve(makeRecordId(ledgerTime(nowMs)))
  }
  const now = () => ledgerTime(nowMs)

  return {
    /** The account is read at a moment, with nothing open. */
    read(atMs: number, equity: number): void {
      nowMs = atMs
      const reading = {
        ...{ askedAtMs: atMs, venueAtMs: undefined, orders: [], positions: [] },
        equity: decimal(equity.toFixed(6)),
      }
      const worst = account.exposure.worst([])
      const before = typeof worst === "string" ? undefined : worst
      if (!account.exposure.read(reading)) throw new Error("the reading isn't taken")
      followEquity(account, reading, { active, act, now, worst: before })
    },
    /** What each guard counts as lost, by its name; `undefined` where it can't tell. */
    lost(): Readonly<Record<string, number | undefined>> {
      const set = active()
      const bounding = set.policies.flatMap((policy) => policy.guards.filter(boundsLoss))
      return Object.fromEntries(
        bounding.map((guard) => {
          const loss = lossNow(guard, account, { set, nowMs })
          const told = typeof loss === "string" ? undefined : Number(formatDecimal(loss.measured))
          return [guard.name, told]
        }),
      )
    },
    /** A person tells what was paid out. */
    async paidOut(amount: number): Promise<void> {
      const accounts = new Map([[account.address, account]])
      const { tellFlow } = guardMethods({ active, act, now, accounts })
      const flow = { account: "main", direction: "out", reason: "told" } as const
      await tellFlow({ ...flow, amount: amount.toFixed(6) })
    },
    /** All is forgotten but what was recorded. */
    restart(): void {
      account = openAccount()
    },
    isDoubtful: () => account.last.doubt !== undefined,
    acts: () => acts,
  }
}

function filesOf(guards: string): FileSet {
  const venue = `${sandboxProfile({ url: sandboxUrl, asOf: new Date(0) })}${valuedAccount}`
  const profile = parseProfile(venue, "venue.yaml")
  if (!profile.ok) throw new Error("the profile isn't one")
  const files = [{ file: "policies/losses.yaml", text: `policy: losses\nguards: [${guards}]\n` }]
  const policies = parsePolicies(files, profile.value)
  if (!policies.ok) throw new Error(JSON.stringify(policies.error))
  const config = { prices: { maxAgeMs: 60_000 } }
  // What else is in a set's files nobody asks for here.
  return { profile: profile.value, policies: policies.value, policyHash: "0", config } as FileSet
}

function whoTrades(): Pick<StandingFields, "keys" | "clients"> {
  const key = { name: "main", role: "wallet", address: guardedWallet.address, targets: [] }
  const client = { name: "bot", keys: ["main"], token_hash: "0" }
  // Only of what asks who trades an account.
  return {
    keys: new Map([["main", { ...key, approval: "none" } as unknown as KeyEntry]]),
    clients: new Map([["bot", client]]) as unknown as StandingFields["clients"],
  }
}
