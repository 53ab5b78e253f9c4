import type { ServerResponse } from "node:http"

import type { BotLink } from "../../link/client.ts"
import { consoleBotParams, type ConsoleSession } from "../../link/console-methods.ts"
import type { Refusal } from "../../link/refusal.ts"
import type { GateLimits } from "../gate-limits.ts"
import { refusedByVault, type Problem } from "../problem.ts"
import type { Reply } from "../reply.ts"
import type { Answer } from "../route.ts"
import { noSessionCookie, readSession, sessionCookie, sessionMissing } from "./console-session.ts"
import { readForm, type Form } from "./read-form.ts"

export type CallDependencies = {
  readonly link: Pick<BotLink, "call">
  readonly limits: GateLimits
  readonly clock: () => number
}

const { openConsole, consoleFreeze, closeConsole } = consoleBotParams
const linkForm = {
  schema: openConsole,
  advice: "This isn't a link of the console; run countersign console for one.",
}
const freezeForm = {
  schema: consoleFreeze.omit({ session: true }),
  advice: "Give a reason of 1 to 200 characters.",
}
const endForm = { schema: closeConsole.omit({ session: true }), advice: "Send {} alone." }

/** `/console/session`: a link's secret becomes a session. */
export function openSession({ link, limits, clock }: CallDependencies): Answer {
  return async (request, response) => {
    const form = await readForm(request, linkForm, limits)
    if (!form.ok) return saidNo(form.error)
    const opened = await link.call("openConsole", form.value)
    if (opened.kind === "refused") return refused(opened)
    const { session, ends_at } = opened
    response.setHeader("Set-Cookie", sessionCookie(session.cookie, ends_at - clock()))
    return { kind: "success", content: { proof: session.proof, ends_at } }
  }
}

/** `/console/freeze`: the one thing that the console does. */
export function freezeAll(deps: CallDependencies): Answer {
  return withSession(deps, freezeForm, async ({ session, body: { reason } }) => {
    const done = await deps.link.call("consoleFreeze", { session, reason })
    if (done.kind === "refused") return refused(done)
    return { kind: "success", content: { freeze: done.freeze } }
  })
}

/** `/console/end`: the session is over. */
export function endSession(deps: CallDependencies): Answer {
  return withSession(deps, endForm, async ({ session, response }) => {
    const done = await deps.link.call("closeConsole", { session })
    if (done.kind === "refused") return refused(done)
    response.setHeader("Set-Cookie", noSessionCookie)
    return { kind: "success", content: {} }
  })
}

type Asked<Body> = {
  readonly session: ConsoleSession
  readonly body: Body
  readonly response: ServerResponse
}

function withSession<Body>(
  { limits }: CallDependencies,
  form: Form<Body>,
  answer: (asked: Asked<Body>) => Promise<Reply>,
): Answer {
  return async (request, response) => {
    const session = readSession(request)
    if (session === undefined) return saidNo(sessionMissing)
    const body = await readForm(request, form, limits)
    return body.ok ? answer({ session, body: body.value, response }) : saidNo(body.error)
  }
}

function refused(no: { readonly refusal: Refusal; readonly record: null }): Reply {
  return { kind: "problem", problem: refusedByVault(no.refusal, no.record) }
}

function saidNo(problem: Problem | "gone"): Reply | "gone" {
  return problem === "gone" ? problem : { kind: "problem", problem }
}
