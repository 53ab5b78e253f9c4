import type { BotParams } from "../link/calls/methods.ts"
import type { BotLink } from "../link/client.ts"
import type { Refusal } from "../link/views/refusal.ts"
import { refusedByVault, type Problem } from "./http/problem.ts"
import type { Call } from "./http/read-call.ts"
import type { Reply } from "./http/reply.ts"
import { parseSearch } from "./sign/parse-search.ts"

type Dependencies = { readonly link: BotLink }

/** `/check`: whether it would be signed, and why or why not. */
export async function check(deps: Dependencies, { ask }: Call): Promise<Reply> {
  const checked = await deps.link.call("check", ask)
  if (checked.kind === "refused") return refused(checked)
  const { report: content, record } = checked
  return { kind: "success", content, ...(record !== null && { record }) }
}

/** `/whoami`: what the token may do. */
export async function whoami(deps: Dependencies, token: string): Promise<Reply> {
  const known = await deps.link.call("whoami", { token })
  return known.kind === "refused" ? refused(known) : { kind: "success", content: known.whoami }
}

/** `/limits`: what of one's own limits and of the venue's budgets is used. */
export async function showLimits(deps: Dependencies, token: string): Promise<Reply> {
  const known = await deps.link.call("limits", { token })
  return known.kind === "refused"
    ? refused(known)
    : { kind: "success", content: { limits: known.limits, budgets: known.budgets } }
}

/** `/prices`: reference prices from a client with the right to feed them. */
export async function feedPrices(
  deps: Dependencies,
  { token, body }: Pick<BotParams["check"], "token" | "body">,
): Promise<Reply> {
  const fed = await deps.link.call("prices", { token, body })
  return fed.kind === "refused"
    ? refused(fed)
    : { kind: "success", content: { prices: fed.prices } }
}

/** `/freeze`: a stop by a client with the right; only an operator ends it. */
export async function freeze(
  deps: Dependencies,
  { token, body }: Pick<BotParams["check"], "token" | "body">,
): Promise<Reply> {
  const done = await deps.link.call("freeze", { token, body })
  return done.kind === "refused" ? refused(done) : { kind: "success", content: done.freeze }
}

/** `/heartbeat`: the bot is there; its silence counts from the first of these on. */
export async function heartbeat(
  deps: Dependencies,
  { token, body }: Pick<BotParams["check"], "token" | "body">,
): Promise<Reply> {
  const heard = await deps.link.call("heartbeat", { token, body })
  return heard.kind === "refused" ? refused(heard) : { kind: "success", content: heard.heartbeat }
}

const recordId = /^[A-Za-z0-9._-]{1,64}$/

/** `/records/<id>`: what became of one's own request. */
export async function showRecord(deps: Dependencies, token: string, url: string): Promise<Reply> {
  const id = url.slice("/records/".length)
  if (!recordId.test(id)) return { kind: "problem", problem: unknownRecord }
  const found = await deps.link.call("record", { token, id })
  return found.kind === "refused" ? refused(found) : { kind: "success", content: found.view }
}

/** `/records?…`: what became of one's own requests of a key or an order. */
export async function findRecords(deps: Dependencies, token: string, url: string): Promise<Reply> {
  const search = parseSearch(url.slice("/records".length))
  if (!search.ok) return { kind: "problem", problem: search.error }
  const found = await deps.link.call("records", { token, ...search.value })
  return found.kind === "refused"
    ? refused(found)
    : { kind: "success", content: { records: found.records } }
}

/** `/readyz`: what the vault signs now. Not ready is one that signs nothing: else a balancer would take cancels away too. */
export async function readiness(deps: Dependencies): Promise<Reply> {
  const data = await deps.link.call("health", {})
  if (data.signs !== "nothing") return { kind: "success", content: data }
  const message = `The vault signs nothing: ${data.reasons.join(", ")}. countersign status says what to do.`
  return { kind: "problem", problem: { code: "not_signing", message, data } }
}

const unknownRecord: Problem = {
  code: "unknown_record",
  message: "You have no record of that id; use the one from Countersign-Record.",
}

function refused(answer: { readonly refusal: Refusal; readonly record: string | null }): Reply {
  return { kind: "problem", problem: refusedByVault(answer.refusal, answer.record) }
}
