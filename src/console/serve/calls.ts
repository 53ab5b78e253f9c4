import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"

import * as z from "zod"

import { speak } from "../../contract/client.ts"
import { parseJson } from "../../std/parse-json.ts"
import { err, ok, type Result } from "../../std/result.ts"
import type { SharedConnections } from "../../std/shared-connections.ts"
import { visible } from "../../std/visible.ts"
import { askedText, shownText } from "../asked-text.ts"
import {
  type Answer,
  type AskName,
  asks,
  type Asks,
  maxLineBytes,
  releaseAsks,
  type ReleaseAsk,
  type RecordShown,
} from "../asks.ts"
import {
  type ConsoleLink,
  halvesOf,
  secretPattern,
  type Session,
  sessionCookie,
  type Sessions,
} from "./sessions.ts"

/** What a request is answered. */
export type Reply = {
  readonly status: number
  readonly type: string
  readonly text: string
  readonly headers?: Readonly<Record<string, string>>
}

export type Refused = Reply & {
  readonly status: 400 | 401 | 403 | 404 | 405 | 413 | 415 | 421 | 500 | 503
}

/** An answer to the page. */
export function told(content: object | null, headers: Reply["headers"] = {}): Reply {
  return { status: 200, type: jsonType, text: visible(JSON.stringify(content)), headers }
}

/** No, and why, in a sentence for a person. */
export function refused(
  status: Refused["status"],
  why: string,
  headers: Reply["headers"] = {},
): Refused {
  return { status, type: jsonType, text: visible(JSON.stringify({ why })), headers }
}

const jsonType = "application/json; charset=utf-8"

/** A browser has some six to a page. Those of a session are its own, all others share one part. */
export type ConsoleConnections = SharedConnections<Session | "strangers">
export const maxConnections = 64

type CallDependencies = {
  readonly ask: Ask
  readonly link: ConsoleLink
  readonly sessions: Sessions
  readonly connections: ConsoleConnections
  /** Tells ages; nobody can set it. */
  readonly nowMs: () => number
  /** Whether the page may put a person's word on held requests. */
  readonly mayRelease: boolean
}

/** What is answered to a call of the page that came in on `port`. @throws {Fault} why the command has no answer. */
export type Call = (request: IncomingMessage, port: number) => Promise<Reply>

/** What the page may call, by its path. */
export function consoleCalls(deps: CallDependencies): ReadonlyMap<string, Call> {
  const { sessions, mayRelease } = deps
  return new Map([
    ...(mayRelease ? releaseAsks : []).map((name) => [`/${name}`, asking(deps, name)] as const),
    ["/session", (request, port) => openSession(deps, request, port)],
    ["/look", ofSession(deps, lookForm, (asked) => look(deps, asked))],
    ["/history", ofSession(deps, historyForm, ({ form }) => history(deps, form))],
    ["/record", asking(deps, "record", shownRecord)],
    ["/held", asking(deps, "held")],
    ["/freeze", asking(deps, "freeze")],
    [
      "/end",
      ofSession(deps, z.strictObject({}), ({ session, port }) => {
        sessions.end(session)
        return told({}, sessionCookie("", port))
      }),
    ],
  ] satisfies readonly (readonly [string, Call])[])
}

/** Passes an ask on to the command, and tells the page what it answers, or what `shown` makes of that. */
function asking<Name extends "record" | "held" | "freeze" | ReleaseAsk>(
  deps: CallDependencies,
  name: Name,
  shown: (answer: Answer<Name>) => object | null = (answer) => answer,
): Call {
  // What was parsed by it is what it takes.
  const params = asks[name].params as z.ZodType as z.ZodType<z.input<Asks[Name]["params"]>>
  return ofSession(deps, params, async ({ form }) => told(shown(await deps.ask(name, form))))
}

const linkForm = z.strictObject({ secret: z.string().regex(secretPattern) })

/** A link's secret becomes a session. */
async function openSession(
  { link, sessions }: CallDependencies,
  request: IncomingMessage,
  port: number,
): Promise<Reply> {
  const form = await readForm(request, linkForm)
  if (!form.ok) return form.error
  if (!link.take(form.value.secret)) return refused(401, wrongLink)
  const { cookie, proof } = sessions.open()
  return told({ proof }, sessionCookie(cookie, port))
}

type Asked<Form> = { readonly session: Session; readonly form: Form; readonly port: number }

function ofSession<Form>(
  { sessions, connections }: CallDependencies,
  schema: z.ZodType<Form>,
  answer: (asked: Asked<Form>) => Reply | Promise<Reply>,
): Call {
  return async (request, port) => {
    const halves = halvesOf(request, port)
    const session = halves && sessions.hear(halves)
    if (session === undefined) return refused(401, noSession)
    connections.asks(request.socket, session)
    const form = await readForm(request, schema)
    return form.ok ? answer({ session, form: form.value, port }) : form.error
  }
}

const seq = z.int().min(0).max(Number.MAX_SAFE_INTEGER)
/** The last entry that the page knows of; left out where it knows none. */
const lookForm = z.strictObject({ after: seq.optional() })
const historyForm = z.strictObject({ before: seq })

const lookEveryMs = 1_000

/** Keeps the page waiting until a second has passed since its last look, so the page needs no clock of its own. */
async function look(
  { ask, nowMs }: CallDependencies,
  { session, form: { after } }: Asked<z.output<typeof lookForm>>,
): Promise<Reply> {
  const now = nowMs()
  const dueMs = Math.max(now, session.nextLookMs)
  session.nextLookMs = dueMs + lookEveryMs
  await sleep(dueMs - now)
  const stand = await ask("look", {})
  return told({ ...stand, news: await ask("entries", after === undefined ? {} : { after }) })
}

const historyPauseMs = 250

/** A part at a time, and not too soon: nobody waits for what was, while bots wait for signatures. */
async function history(
  { ask }: CallDependencies,
  form: z.output<typeof historyForm>,
): Promise<Reply> {
  await sleep(historyPauseMs)
  return told(await ask("entries", form))
}

const wrongLink =
  "A link works once, within 60 seconds. Press Enter where countersign console runs for a new one, or start it again."
const noSession =
  "This session of the console is over, or never was. Press Enter where countersign console runs for a new link, or start it again."

/** A reason of 200 characters is the longest that the page sends. */
const maxBodyBytes = 2_048

/** Reads what the page sends as JSON. */
async function readForm<Form>(
  request: IncomingMessage,
  schema: z.ZodType<Form>,
): Promise<Result<Form, Refused>> {
  // A page of another origin can't send this type without asking first.
  if (request.headers["content-type"] !== "application/json") {
    return err(refused(415, "Send Content-Type: application/json."))
  }
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBodyBytes) return err(refused(413, `Send at most ${maxBodyBytes} bytes.`))
    chunks.push(chunk)
  }
  const form = schema.safeParse(parseJson(Buffer.concat(chunks).toString("utf8")))
  return form.success
    ? ok(form.data)
    : err(refused(400, "The page sent something else than it should."))
}

const maxBodyLength = 2_000

/** What was asked and what became of it, for people; `null` where there is no such record any more. */
function shownRecord(answer: Answer<"record">): RecordShown | null {
  const { record, symbols, place, verdicts } = answer
  if (record === null) return null
  const { operation, body } = record
  const told = { ...record, place, verdicts }
  if (body === null) return { ...told, asked: null }
  const asked = askedText({ operation, body: JSON.parse(body) }, symbols)
  return { ...told, asked, body: shownText(body, maxBodyLength) }
}

/** Asks the command that started this process. @throws {Fault} what it answers in place of an answer. */
export type Ask = <Name extends AskName>(
  name: Name,
  params: z.input<Asks[Name]["params"]>,
) => Promise<Answer<Name>>

/** Longer than the command waits for the vault. */
const deadlineMs = 30_000

/** Asks on the pipe; `onLost` hears when it closes. */
export function askOver(pipe: Socket, onLost: () => void): Ask {
  const command = speak(pipe, { deadlineMs, maxBytes: maxLineBytes.answer }, onLost)
  return async <Name extends AskName>(name: Name, params: z.input<Asks[Name]["params"]>) =>
    // The command parsed its answer by the schema.
    (await command.call(name, params)) as Answer<Name>
}
