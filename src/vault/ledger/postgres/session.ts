import type { Duplex } from "node:stream"

import { Fault } from "../../../std/fault.ts"
import { quoted, visible } from "../../../std/visible.ts"
import {
  authenticationIn,
  columnsIn,
  errorIn,
  openMessageReader,
  parseMessage,
  runMessages,
  startupMessage,
  WireError,
} from "./wire.ts"

/** One statement with its values as text; `null` is SQL's. */
export type Statement = { readonly text: string; readonly values: readonly (string | null)[] }

/** The rows of one statement, as text. */
export type Rows = readonly (readonly (string | null)[])[]

/**
 * A session on a PostgreSQL server, over a stream that somebody else opened. It knows neither TLS nor passwords: whoever
 * opened the stream has shown the server a certificate for the role.
 *
 * It lives until the first thing that isn't as it should be: an error, a warning, an answer that doesn't come in time.
 * What was under way then may be durable or not.
 */
export type Session = {
  /** Resolves with why it ended. */
  readonly ended: Promise<Fault>
  /**
   * Runs statements, each in a transaction of its own, in one write. What they wrote is durable when this resolves:
   * PostgreSQL says that it is ready for the next only after the commit. @throws {Fault} `ledger_unavailable`.
   */
  run(...statements: readonly Statement[]): Promise<readonly Rows[]>
  end(): void
}

/** What the session asks for itself, so that no setting of the role, the database or the server changes what it relies on. */
const settings = {
  // On the disk here and on the standbys that are demanded, before a commit is answered.
  synchronous_commit: "on",
  // Whatever comes unasked is a warning, and so a reason to end.
  client_min_messages: "warning",
  // A server whose client has gone gives up what it does for it.
  client_connection_check_interval: "200ms",
  tcp_user_timeout: "2s",
  search_path: "countersign",
  client_encoding: "UTF8",
  standard_conforming_strings: "on",
  // A turn sees what was committed while it was waited for.
  default_transaction_isolation: "read committed",
  default_transaction_read_only: "off",
  // How long it waits is its own to say: an idle host keeps its session, a commit waits for its standby.
  idle_session_timeout: "0",
  idle_in_transaction_session_timeout: "0",
  statement_timeout: "0",
  lock_timeout: "0",
}

/**
 * Starts a session. The server's list of sessions shows `application`; each answer may take `timeoutMs`.
 *
 * @throws {Fault} `ledger_unavailable`.
 */
export async function openSession(
  stream: Duplex,
  ask: Readonly<Record<"role" | "database" | "application", string>> & { timeoutMs: number },
): Promise<Session> {
  const session = new OpenSession(stream, ask.timeoutMs)
  const { role: user, database, application: application_name } = ask
  await session.ask(startupMessage({ user, database, application_name, ...settings }), 1)
  return session
}

/** What all answers to one write may have. */
const maxAnswerBytes = 64 * 1_048_576
export const maxAnswerRows = 1_000

type Waiting = {
  /** Of the statements that are answered. */
  readonly answers: Rows[]
  /** Of the one that is being answered. */
  rows: (readonly (string | null)[])[]
  readonly statements: number
  readonly resolve: (answers: readonly Rows[]) => void
  readonly reject: (fault: Fault) => void
  readonly timer: NodeJS.Timeout
}

/** Owns the stream. */
class OpenSession implements Session {
  readonly ended: Promise<Fault>
  readonly #tellEnded: (fault: Fault) => void
  readonly #stream: Duplex
  readonly #timeoutMs: number
  readonly #read = openMessageReader((letter, body) => this.#take(letter, body))
  readonly #prepared = new Map<string, string>()
  #waiting: Waiting | undefined
  #answerBytes = 0
  #fault: Fault | undefined

  constructor(stream: Duplex, timeoutMs: number) {
    const { promise, resolve } = Promise.withResolvers<Fault>()
    this.ended = promise
    this.#tellEnded = resolve
    this.#stream = stream
    this.#timeoutMs = timeoutMs
    stream.on("data", (chunk: Buffer) => this.#hear(chunk))
    stream.on("error", () => this.#fail("The connection to PostgreSQL broke"))
    stream.on("close", () => this.#fail("The connection to PostgreSQL closed"))
    stream.on("end", () => this.#fail("PostgreSQL ended the connection"))
  }

  run(...statements: readonly Statement[]): Promise<readonly Rows[]> {
    const messages = statements.flatMap(({ text, values }) => {
      const known = this.#prepared.get(text)
      const name = known ?? `s${this.#prepared.size}`
      this.#prepared.set(text, name)
      return [...(known === undefined ? [parseMessage(name, text)] : []), runMessages(name, values)]
    })
    return this.ask(Buffer.concat(messages), statements.length)
  }

  /** Writes at once, and resolves when the server has been ready for the next so often. */
  async ask(bytes: Buffer, statements: number): Promise<readonly Rows[]> {
    if (this.#fault !== undefined) throw this.#fault
    if (this.#waiting !== undefined) throw new Error("a session does one thing at a time")
    return new Promise((resolve, reject) => {
      const late = (): void => this.#fail("PostgreSQL didn't answer in time")
      const timer = setTimeout(late, this.#timeoutMs)
      this.#waiting = { answers: [], rows: [], statements, resolve, reject, timer }
      this.#stream.write(bytes)
    })
  }

  end(): void {
    this.#fail("The session with PostgreSQL was ended")
  }

  #hear(chunk: Buffer): void {
    if (this.#fault !== undefined) return
    this.#answerBytes += chunk.length
    if (this.#answerBytes > maxAnswerBytes) this.#fail("PostgreSQL's answer is too large")
    try {
      this.#read(chunk)
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      this.#fail(`PostgreSQL said what isn't its protocol: ${error.message}`)
    }
  }

  #take(letter: string, body: Buffer): void {
    if (this.#fault !== undefined || unneeded.has(letter)) return
    switch (letter) {
      case "D":
        this.#row(columnsIn(body))
        break
      case "Z":
        this.#ready(body.toString("latin1"))
        break
      case "R":
        this.#authenticated(authenticationIn(body))
        break
      case "E":
      case "N": {
        const { message, code } = errorIn(body)
        this.#fail(`PostgreSQL says: ${quoted(message)} (${visible(code)})`)
        break
      }
      default:
        this.#fail("PostgreSQL said what nobody asked for")
    }
  }

  #authenticated(kind: number): void {
    if (kind === 0) return
    this.#fail(
      "PostgreSQL asks for a password, where pg_hba.conf should take the relay's certificate (cert)",
    )
  }

  #row(columns: readonly (string | null)[]): void {
    if (this.#waiting === undefined) this.#fail("PostgreSQL said what nobody asked for")
    else if (this.#waiting.rows.push(columns) > maxAnswerRows) {
      this.#fail("PostgreSQL's answer is too large")
    }
  }

  #ready(status: string): void {
    const waiting = this.#waiting
    if (waiting === undefined || status !== "I") {
      this.#fail("PostgreSQL lost its way")
      return
    }
    waiting.answers.push(waiting.rows)
    waiting.rows = []
    if (waiting.answers.length < waiting.statements) return
    clearTimeout(waiting.timer)
    this.#answerBytes = 0
    this.#waiting = undefined
    waiting.resolve(waiting.answers)
  }

  /** `why` without its full stop. */
  #fail(why: string): void {
    if (this.#fault !== undefined) return
    this.#fault = new Fault("ledger_unavailable", `${why}; nothing is signed until it is reached.`)
    const waiting = this.#waiting
    this.#waiting = undefined
    clearTimeout(waiting?.timer)
    waiting?.reject(this.#fault)
    this.#stream.destroy()
    this.#tellEnded(this.#fault)
  }
}

/** What goes with every start and every statement, and says nothing that is needed: BackendKeyData, ParameterStatus, ParseComplete, BindComplete, CommandComplete. */
const unneeded: ReadonlySet<string> = new Set(["K", "S", "1", "2", "C"])
