import type { ConsoleBudget, ConsoleState, PendingHold } from "../../link/console-views.ts"
import type { FreezeView } from "../../link/views.ts"
import { version } from "../../version.ts"
import { alarmsNow } from "../alarms.ts"
import { hasEnded, type KeyEntry } from "../bindings.ts"
import type { Freeze } from "../freeze.ts"
import { freezeView } from "../freeze-methods.ts"
import { listHolds } from "../hold-methods.ts"
import { listLimits } from "../limit-methods.ts"
import { budgetStands, usedShare, type Stand } from "../metrics/room-families.ts"
import { standstillOf } from "../safety-methods.ts"
import { stateWords } from "../status-line.ts"
import type { Vault } from "../vault.ts"
import { keyView } from "../views.ts"
import { maxListBytes, roomOf } from "./room.ts"
import { shownText } from "./shown-text.ts"

/** No list shows more. */
export const maxShown = 100

/** Everything that the console shows but the decisions, as it stands now; `leftMs` of its session. */
export function consoleState(vault: Vault, leftMs: number): ConsoleState {
  const nowMs = vault.clock.nowMs()
  const { profile, policyHash, freezes, keys } = vault.active()
  const room = roomOf(maxListBytes)
  // In the order of what a person must see if there is no room for all.
  return {
    at: nowMs,
    version,
    network: profile.network,
    policy_hash: policyHash,
    state: standstillOf(vault)[0]?.state ?? vault.state(),
    words: sentence(stateWords(vault)),
    alarms: room(alarmsNow(vault), maxShown),
    freezes: room(freezes.map(shownFreeze), maxShown),
    holds: room(pendingHolds(vault), maxShown),
    budgets: room(budgetStands(vault).map(budgetView), maxShown),
    limits: room(limitUses(vault), maxShown),
    keys: room(
      usableFirst([...keys.values()]).map((key) => keyView(key, vault)),
      maxShown,
    ),
    decided: vault.metrics.decisions.totals(),
    session_ends_at: nowMs + leftMs,
  }
}

/** Its reason may be a bot's. */
function shownFreeze(freeze: Freeze): FreezeView {
  const { reason, ...view } = freezeView(freeze)
  return { ...view, reason: shownText(reason, reason.length) }
}

/** Where there are too many, those with the least room. */
function limitUses(vault: Vault): ConsoleState["limits"] {
  const uses = listLimits(vault)
  if (uses.length <= maxShown) return uses
  return uses.toSorted((a, b) => usedShare(b) - usedShare(a))
}

function usableFirst(keys: readonly KeyEntry[]): readonly KeyEntry[] {
  return keys.toSorted((a, b) => Number(hasEnded(a)) - Number(hasEnded(b)))
}

function budgetView({ scope, address, max, used, keptForCancels }: Stand): ConsoleBudget {
  return {
    scope,
    address: address === "" ? null : address,
    max,
    used,
    kept_for_cancels: keptForCancels,
  }
}

const maxBodyLength = 1_000

function pendingHolds(vault: Vault): readonly PendingHold[] {
  return listHolds(vault)
    .filter(({ state }) => state === "pending")
    .map((hold) => ({
      ...hold,
      body: shownText(hold.body, maxBodyLength),
      command: `countersign held release ${hold.id}`,
    }))
}

const maxWordsLength = 1_000

/** As it begins and ends a sentence. */
function sentence(words: string): string {
  const shown = shownText(words, maxWordsLength)
  return `${shown.slice(0, 1).toUpperCase()}${shown.slice(1)}.`
}
