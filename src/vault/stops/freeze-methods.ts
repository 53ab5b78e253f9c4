import { isDeepStrictEqual } from "node:util"

import * as z from "zod"

import type { AdminParams, BotResults } from "../../link/calls/methods.ts"
import type { Refusal } from "../../contract/refusal.ts"
import type { FreezeView } from "../../link/calls/both-ways.ts"
import { Fault } from "../../std/fault.ts"
import { err, ok, type Result } from "../../std/result.ts"
import type { ActiveSet, Acts } from "../active/active-set.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { type Client, operatorName } from "../ledger/records/bindings.ts"
import { isSameScope, type Freeze, type FreezeScope } from "../ledger/records/freeze.ts"
import { refuse, invalidRequest } from "../request/refuse.ts"
import { parseBody } from "../request/parse-request.ts"

/** A turn of it comes after all that other hosts recorded. */
type FollowsOthers = { readonly ledger: Pick<Ledger, "decide"> }

/** Freezes for the operator, and ends freezes: nobody else can. */
export function freezeMethods(acts: Acts & FollowsOthers) {
  return {
    freeze: (params: AdminParams["freeze"]) => freezeForOperator(params, acts),
    thaw: (params: AdminParams["thaw"]) => thaw(params, acts),
  }
}

/**
 * In force from the moment it is queued; durable when it resolves, and nothing that it stops is signed
 * from then on. Whoever asked for it, it takes away no stop. Shows what is frozen then.
 */
export async function freeze(
  what: Omit<Freeze, "since">,
  acts: Acts,
  put = (entry: { readonly act: "frozen" } & Freeze): Promise<unknown> => acts.act(entry),
): Promise<FreezeView> {
  const asked = { ...what, since: acts.now() } as Freeze // a union that `Omit` takes apart
  await put({ act: "frozen", ...asked })
  return acts.active().freezes.find((each) => isSameScope(each, asked)) ?? asked
}

/** `POST /freeze`: a client with the right may stop itself, others, a key or everything; it can't thaw. `body` is base64. */
export async function freezeForClient(
  body: string,
  { name: by }: Client,
  acts: Acts,
): Promise<BotResults["freeze"]> {
  const read = parseFreeze(Buffer.from(body, "base64"))
  if (!read.ok) return refuse(read.error, null)
  const unknown = unknownName(read.value, acts.active())
  if (unknown !== undefined) {
    const error = { path: "/name", rule: "unknown_name", message: unknown }
    return refuse(invalidRequest([error]), null)
  }
  const asked = { ...read.value, by, cancels: true }
  return { kind: "answer", freeze: await freeze(asked, acts, (entry) => acts.say(entry, by)) }
}

async function freezeForOperator(
  { scope, name, reason, cancels, by = operatorName }: AdminParams["freeze"],
  acts: Acts,
): Promise<FreezeView> {
  const what = scopeOf(scope, name)
  const unknown = unknownName(what, acts.active())
  if (unknown !== undefined) throw new Fault("name_unknown", unknown)
  return freeze({ ...what, reason, cancels, by }, acts)
}

/** One that was frozen anew, for another reason, isn't the one that was shown. @throws {Fault} `usage` */
async function thaw(
  { freezes: shown }: AdminParams["thaw"],
  acts: Acts & FollowsOthers,
): Promise<readonly FreezeView[]> {
  await acts.ledger.decide([], () => () => undefined) // another host may have frozen it a moment ago
  const standing = acts.active().freezes
  if (!shown.every((each) => standing.some((now) => isDeepStrictEqual(now, each)))) {
    throw new Fault(
      "usage",
      "What is frozen has changed since it was shown; nothing was thawed. Look at countersign status again.",
    )
  }
  await Promise.all(
    shown.map((each) => acts.act({ act: "thawed", ...scopeOf(each.scope, each.name) })),
  )
  return acts.active().freezes
}

function scopeOf(scope: FreezeScope["scope"], name: string | null): FreezeScope {
  if (scope === "all" && name === null) return { scope, name }
  if (scope !== "all" && name !== null) return { scope, name }
  throw new Fault("usage", "A client or a key has a name, everything has none.")
}

function unknownName({ scope, name }: FreezeScope, set: ActiveSet): string | undefined {
  if (scope === "all") return undefined
  const isKnown =
    scope === "key" ? set.keys.has(name) : set.clients.some((client) => client.name === name)
  return isKnown ? undefined : `There is no ${scope} named ${name}.`
}

/** The body of `POST /freeze`. */
export const freezeBody = z.discriminatedUnion("scope", [
  z.strictObject({ scope: z.literal("all"), reason: z.string().min(1).max(200) }),
  z.strictObject({
    scope: z.enum(["client", "key"]),
    name: z.string().max(64),
    reason: z.string().min(1).max(200),
  }),
])

function parseFreeze(utf8: Uint8Array): Result<FreezeScope & { readonly reason: string }, Refusal> {
  const json = parseBody(utf8)
  if (!json.ok) return json
  const body = freezeBody.safeParse(json.value)
  if (body.success) {
    const { scope, reason } = body.data
    return ok(
      scope === "all" ? { scope, name: null, reason } : { scope, name: body.data.name, reason },
    )
  }
  const message =
    'the body must be {"scope": "all", "reason"} or {"scope": "client" or "key", "name", "reason"}'
  return err(invalidRequest([{ path: "", rule: "freeze", message }]))
}
