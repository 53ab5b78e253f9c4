import type { AdminResults, BotParams, BotResults } from "../../link/methods.ts"
import { freeze } from "../freeze-methods.ts"
import type { Refusal } from "../../link/refusal.ts"
import type { Vault } from "../vault.ts"
import { consoleState } from "./console-state.ts"

/** Who is said to have frozen from the console: no client can have this name. */
export const consoleOperator = "console/operator"

/** The bot socket's calls about the console. Each answers to a session that the admin socket's link opened. */
export function consoleBotMethods(vault: Vault) {
  return {
    openConsole: (params: BotParams["openConsole"]) => Promise.resolve(open(params, vault)),
    consoleState: (params: BotParams["consoleState"]) => Promise.resolve(state(params, vault)),
    consoleDecisions: (params: BotParams["consoleDecisions"]) =>
      Promise.resolve(decisions(params, vault)),
    consoleFreeze: (params: BotParams["consoleFreeze"]) => freezeAll(params, vault),
    closeConsole: (params: BotParams["closeConsole"]) => Promise.resolve(close(params, vault)),
  }
}

/** The admin socket's: whoever may use it may have a link. */
export function consoleAdminMethods(vault: Vault) {
  return { linkConsole: () => Promise.resolve(link(vault)) }
}

function link(vault: Vault): AdminResults["linkConsole"] {
  const { host, port } = vault.active().config.listen
  const { secret, validForMs } = vault.console.link()
  return { secret, valid_for_ms: validForMs, host, port }
}

function open({ secret }: BotParams["openConsole"], vault: Vault): BotResults["openConsole"] {
  const opened = vault.console.open(secret)
  if (!opened.ok) return refuseHere(opened.error)
  const { session, leftMs } = opened.value
  return { kind: "answer", session, ends_at: vault.clock.nowMs() + leftMs }
}

function state({ session }: BotParams["consoleState"], vault: Vault): BotResults["consoleState"] {
  const checked = vault.console.check(session)
  if (!checked.ok) return refuseHere(checked.error)
  return { kind: "answer", state: consoleState(vault, checked.value) }
}

function decisions(
  { session, after }: BotParams["consoleDecisions"],
  vault: Vault,
): BotResults["consoleDecisions"] {
  const checked = vault.console.check(session)
  if (!checked.ok) return refuseHere(checked.error)
  return { kind: "answer", feed: vault.decisions.after(after, vault.active().profile) }
}

/** Everything, and what reduces risk stays open: a page can't do worse than stop the bots from trading. */
async function freezeAll(
  { session, reason }: BotParams["consoleFreeze"],
  vault: Vault,
): Promise<BotResults["consoleFreeze"]> {
  const checked = vault.console.check(session)
  if (!checked.ok) return refuseHere(checked.error)
  const what = { scope: "all", name: null, reason, by: consoleOperator, cancels: true } as const
  return { kind: "answer", freeze: await freeze(what, vault) }
}

function close({ session }: BotParams["closeConsole"], vault: Vault): BotResults["closeConsole"] {
  const ended = vault.console.end(session)
  return ended.ok ? { kind: "answer" } : refuseHere(ended.error)
}

/** No client asked, so there is nobody to record it of. */
function refuseHere(refusal: Refusal) {
  return { kind: "refused", refusal, record: null } as const
}
