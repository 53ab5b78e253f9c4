import type { Failure } from "../client/create-client.ts"
import { visible } from "../std/visible.ts"
import { maxSaid, venueText } from "./others-words.ts"

/** What a tool answers, as JSON. A refusal is an answer too: a model plans anew by it. */
export type ToolAnswer = {
  readonly ok: boolean
  readonly code?: string
  readonly reason?: string | null
  readonly rule?: string | null
  readonly do?: string
} & Readonly<Record<string, unknown>>

/** A refusal as the daemon has it, in an answer or in a check's report. */
type Refusal = {
  readonly code: string
  readonly data: object | null
  readonly do?: unknown
}

/** What is told of a call that didn't come to what was asked for. */
export function failureAnswer(failure: Failure, nowMs: number): ToolAnswer {
  if (failure.source === "venue") {
    const { code, msg, data, record, retryAfterMs } = failure
    return {
      ok: false,
      code: "venue_refused",
      ...{ record, retry_after_ms: retryAfterMs ?? null },
      venue: venueText({ code, msg, data }, maxSaid),
      do: "fix_request",
    }
  }
  if (failure.source === "none") {
    return { ok: false, code: "no_answer", do: "ask again: the daemon didn't answer" }
  }
  const { code, data, retryAfterMs, record } = failure
  const told = refusalAnswer({ code, data, do: valueIn(failure, "do") }, nowMs)
  return {
    ...told,
    retry_after_ms: told["retry_after_ms"] ?? retryAfterMs ?? null,
    ...(record !== undefined && { record }),
  }
}

/** The venue may have taken it. `record` tells what became of it, where it is known. */
export function unknownAnswer(record: string | undefined): ToolAnswer {
  const look = record === undefined ? "call the very same again" : `look at record ${record}`
  return {
    ok: false,
    code: "outcome_unknown",
    ...{ record: record ?? null },
    do: `${look}; place nothing ${record === undefined ? "else" : "again"} before it is clear`,
  }
}

/** What of a refusal a model can act on. Everything in it is the daemon's or was asked by the model itself. */
export function refusalAnswer(refusal: Refusal, nowMs: number): ToolAnswer {
  const { code } = refusal
  const data = refusal.data ?? {}
  if (code === "approval_required") return heldAnswer(data, nowMs)
  const waitMs = valueIn(data, "retry_after_ms")
  return {
    ok: false,
    code,
    reason: reasonOf(data),
    rule: ruleOf(data),
    asked: textIn(data, "asked"),
    allowed: textIn(data, "allowed") ?? textIn(data, "max"),
    room: textIn(data, "room"),
    fits: valueIn(data, "fits") ?? null,
    retry_after_ms: typeof waitMs === "number" ? waitMs : null,
    do: textIn(refusal, "do") ?? "ask_operator",
  }
}

/** It says nothing of how a hold is released: that is not for who asked. */
function heldAnswer(data: object, nowMs: number): ToolAnswer {
  const until = valueIn(data, "expires_at")
  return {
    ok: false,
    code: "approval_required",
    waits_ms: typeof until === "number" ? Math.max(0, until - nowMs) : null,
    who: "an operator of this machine",
    do: "wait; once it is released, check the same again and place that",
  }
}

function reasonOf(data: object): string | null {
  const errors = valueIn(data, "errors")
  if (!Array.isArray(errors)) return textIn(data, "reason") ?? textIn(data, "why")
  const rules = (errors as readonly object[]).map(
    (each) => `${textIn(each, "path") ?? ""} ${textIn(each, "rule") ?? ""}`,
  )
  return rules.join(", ").slice(0, maxSaid)
}

/** `policy/rule`; of limits and guards theirs. */
function ruleOf(data: object): string | null {
  const policy = textIn(data, "policy")
  const own = textIn(data, "rule") ?? textIn(data, "limit") ?? textIn(data, "guard")
  return policy === null || own === null ? null : `${policy}/${own}`
}

/** A member of what came, whatever version of the daemon it is from. */
export function valueIn(data: object, name: string): unknown {
  return Object.entries(data).find(([own]) => own === name)?.[1]
}

function textIn(data: object, name: string): string | null {
  const value = valueIn(data, name)
  return typeof value === "string" ? visible(value) : null
}
