import type { OpenSigning, Reason, Signing, Signs } from "../../contract/signing.ts"
import type { ActiveSet } from "../active/active-set.ts"
import type { KeyLocks } from "../keyring/keyring.ts"
import { freezeSentence, type Freeze } from "../ledger/records/freeze.ts"
import type { LedgerTime } from "../process/clock.ts"
import { agentExpiring, isEnding, stopsNow } from "../request/judge-request.ts"
import { keyLocked } from "../request/refuse.ts"
import { isPriceUsable, listPrices } from "./fed-prices.ts"
import type { StatusSources } from "./sources.ts"
import { cancelWarning } from "./warnings.ts"
import { succeedCommand } from "./succeed-command.ts"

/** So many fit a line of the socket, however long their names are. */
const maxReasons = 100

/** What the vault signs now, and why not more: the one value that everything which tells of it shows. */
export function signingNow(sources: StatusSources): Signing {
  const reasons = reasonsNow(sources).toSorted((a, b) => rank(a) - rank(b))
  const signs = signsUnder(reasons)
  return { signs, words: wordsOf(signs, reasons), reasons: reasons.slice(0, maxReasons) }
}

function reasonsNow(sources: StatusSources): readonly Reason[] {
  const [set, nowMs] = [sources.active(), sources.now()]
  const isRunning = sources.surroundings.startedBy !== "command"
  const stops = stopsNow(sources, set).map(({ code, message, data: { signs, fix } }) =>
    reason({ code, signs, message, fix }),
  )
  return [
    ...(isRunning ? [] : [notRunning]),
    ...stops,
    ...(isRunning ? lockedReasons(sources.keyring, set) : []),
    ...set.freezes.map(freezeReason),
    ...endingReasons(set, nowMs),
    ...priceReasons(set, nowMs),
    ...cancelReasons(set),
  ]
}

function reason(of: Pick<Reason, "code" | "signs" | "message" | "fix"> & Partial<Reason>): Reason {
  return { scope: "all", name: null, note: null, ...of }
}

/** What a command reads from the ledger tells what a daemon would do, and there is none. */
const notRunning = reason({
  code: "not_running",
  signs: "nothing",
  message: "No daemon runs here.",
  fix: "countersign serve",
})

/** An agent that is locked stops its bots; a wallet key that is locked while agents sign is as it should be. */
function lockedReasons(keyring: KeyLocks, set: ActiveSet): readonly Reason[] {
  const usable = [...set.usableKeys.values()]
  const locked = usable.filter(({ name }) => keyring.isLocked(name))
  const about = { code: "locked", signs: "nothing", fix: "countersign unlock" } as const
  if (locked.length > 0 && locked.length === usable.length) {
    return [reason({ ...about, message: "The keys are locked: none of them is in memory." })]
  }
  return locked.map(({ name }) =>
    reason({ ...about, scope: "key", name, message: keyLocked(name).message }),
  )
}

function freezeReason(freeze: Freeze): Reason {
  const { scope, name, cancels, reason: note } = freeze
  return reason({
    ...{ code: "frozen", scope, name, note, signs: cancels ? "reduce_only" : "nothing" },
    message: `${freezeSentence(freeze)}.`,
    fix: thawing(freeze),
  })
}

function thawing({ scope, name }: Freeze): string {
  if (scope === "all") return "countersign thaw --all"
  return scope === "client" ? `countersign thaw --client ${name}` : `countersign thaw --key ${name}`
}

function endingReasons(set: ActiveSet, nowMs: LedgerTime): readonly Reason[] {
  return [...set.usableKeys.values()]
    .filter((key) => isEnding(key, set, nowMs))
    .map((key) =>
      reason({
        ...{ code: "agent_expiring", scope: "key", name: key.name, signs: "reduce_only" },
        message: agentExpiring(key).message,
        fix: succeedCommand(key, set),
      }),
    )
}

/** A symbol that never had a price isn't waited for. */
function priceReasons(set: ActiveSet, nowMs: LedgerTime): readonly Reason[] {
  return listPrices(set, nowMs)
    .filter((price) => price.state !== "none" && !isPriceUsable(price))
    .map(({ symbol, state }) => {
      const about = { scope: "symbol", name: symbol, signs: "some" } as const
      const what = `The reference price of ${symbol}`
      return state === "stale"
        ? reason({
            ...{ ...about, code: "price_stale" },
            message: `${what} is stale, and what needs it is refused.`,
            fix: `countersign prices set ${symbol} <price>`,
          })
        : reason({
            ...{ ...about, code: "price_unconfirmed" },
            message: `${what} waits for an operator's word, and what needs it is refused.`,
            fix: `countersign prices confirm ${symbol}`,
          })
    })
}

function cancelReasons(set: ActiveSet): readonly Reason[] {
  return cancelWarning(set).map(({ message, fix }) =>
    reason({ code: "action_tag_undisclosed", signs: "some", message, fix }),
  )
}

/** What takes the most away comes first. */
const less = ["nothing", "cancels", "reduce_only", "some"] as const

/** What is about every request comes first, and of each kind what takes the most away. */
function rank({ scope, signs }: Reason): number {
  return (scope === "all" ? 0 : less.length) + less.indexOf(signs)
}

function signsUnder(reasons: readonly Reason[]): Signs {
  const left = reasons.filter(({ scope }) => scope === "all").map(({ signs }) => signs)
  const least = less.find((signs) => left.includes(signs)) ?? "some"
  return least === "some" ? "all" : least
}

/** What a vault may sign, in words. */
export const headings: Readonly<Record<Signs, string>> = {
  all: "signs what policies allow",
  reduce_only: "signs only what reduces risk",
  cancels: "signs only cancels",
  nothing: "signs nothing",
}

function wordsOf(signs: Signs, [first, ...others]: readonly Reason[]): string {
  if (first === undefined) return headings[signs]
  const but = signs === "all" ? ", but" : ""
  const more = others.length === 0 ? "" : `; and ${others.length} more`
  return `${headings[signs]}${but}: ${toldReason(first).replace(/\.$/, "")}${more}`
}

/** The message, and after it what somebody wrote about it, without a full stop then. */
export function toldReason({ message, note }: Pick<Reason, "message" | "note">): string {
  return note === null ? message : `${message.replace(/\.$/, "")}: ${note}`
}

/** What of it is about every request. */
export function openSigning({ signs, reasons }: Signing): OpenSigning {
  const whole = reasons.filter(({ scope }) => scope === "all")
  return { signs, reasons: whole.map(({ code }) => code) }
}
