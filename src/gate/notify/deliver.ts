import { join } from "node:path"

import { Agent, request } from "undici"

import { isWebhookUrl, type NotifyTarget, webhookUrlForm } from "../../link/gate-settings.ts"
import { Fault } from "../../std/fault.ts"
import { readPrivateFile } from "../../std/private-file.ts"
import { errorFields } from "../process/log.ts"
import { type Address, type Post, postIn } from "./forms.ts"
import type { Message } from "./message.ts"

/** What became of a message: `undefined` where it was taken, else why it wasn't. */
export type Refusal = {
  /** A sentence with the service's host at most: whoever knows more of its address can write there. */
  readonly why: string
  /** How long the service asks to be left alone. */
  readonly waitMs: number
}

/** From the name's lookup to the end of the answer. */
const deadlineMs = 5_000

/** A longer answer is cut off. */
const maxAnswerBytes = 16_384

/**
 * Posts a message once, to the target's address and nowhere else: redirects aren't followed. Never throws. Any 2xx
 * means taken: Slack answers 200 `ok`, Telegram and ntfy 200 with what was made of the message, PagerDuty 202.
 */
export async function deliver(
  { target, directory }: { readonly target: NotifyTarget; readonly directory: string | undefined },
  message: Message,
  stopping?: AbortSignal,
): Promise<Refusal | undefined> {
  try {
    const address = await readAddress(target, directory)
    try {
      return await send(postIn(target.form, message, address), stopping)
    } finally {
      address.secret?.fill(0)
    }
  } catch (error) {
    return { why: error instanceof Fault ? error.message : "internal error", waitMs: 0 }
  }
}

async function send({ url, headers, body }: Post, stopping?: AbortSignal) {
  // Also where NODE_TLS_REJECT_UNAUTHORIZED says otherwise.
  const dispatcher = new Agent({ connect: { rejectUnauthorized: true }, allowH2: false })
  const deadline = AbortSignal.timeout(deadlineMs)
  try {
    const answer = await request(url, {
      dispatcher,
      method: "POST",
      headers: { ...headers, "user-agent": "countersign" },
      body,
      signal: stopping === undefined ? deadline : AbortSignal.any([deadline, stopping]),
    })
    // Its status is all that counts.
    await answer.body.dump({ limit: maxAnswerBytes }).catch(() => undefined)
    if (answer.statusCode >= 200 && answer.statusCode < 300) return undefined
    const waitMs = retryAfterMs(answer.headers["retry-after"])
    return { why: `${url.host} answered HTTP ${answer.statusCode}.`, waitMs }
  } catch (error) {
    const code = deadline.aborted ? "timeout" : errorFields(error).code
    return { why: `${url.host} gave no answer (${code}).`, waitMs: 0 }
  } finally {
    await dispatcher.destroy()
  }
}

/** The most that a service can have us wait. */
const maxWaitMs = 600_000

/** `Retry-After` in seconds (RFC 9110, 10.2.3), as Slack sends it with 429; a date counts as none. */
function retryAfterMs(value: string | readonly string[] | undefined): number {
  return typeof value === "string" && /^\d{1,6}$/.test(value)
    ? Math.min(Number(value) * 1_000, maxWaitMs)
    : 0
}

/** More than any address or token has. */
const maxFileBytes = 4_096

/** A key that can be guessed signs nothing; `openssl rand -hex 32` has 64. */
const minKeyBytes = 32

/**
 * Reads a target's address and secret from the gate's files, anew for each message: a file that is exchanged counts at
 * once. The caller overwrites the secret.
 *
 * @throws {Fault} `file_unsafe` or `config_invalid`, with a sentence that has nothing of what is in them.
 */
async function readAddress(target: NotifyTarget, directory: string | undefined): Promise<Address> {
  const url = ("url" in target ? target.url : undefined) ?? (await readUrl(target, directory))
  const file = "secret_file" in target ? target.secret_file : undefined
  if (file === undefined) return { url: new URL(url), secret: undefined }
  const secret = await readFile(file, directory)
  const form = secretForms[target.form]
  if (form !== undefined && !form.isOne(secret)) {
    secret.fill(0)
    throw invalid(join(directory ?? "", file), form.expected)
  }
  return { url: new URL(url), secret }
}

async function readUrl(target: NotifyTarget, directory: string | undefined): Promise<string> {
  const file = ("url_file" in target ? target.url_file : undefined) ?? ""
  const url = textOf(await readFile(file, directory))
  if (!isWebhookUrl(url)) throw invalid(join(directory ?? "", file), webhookUrlForm)
  if (target.form === "telegram" && !new URL(url).searchParams.has("chat_id")) {
    throw invalid(join(directory ?? "", file), telegramForm)
  }
  return url
}

const telegramForm = "expected https://api.telegram.org/bot…/sendMessage?chat_id=…"

/** Without the newline that editors put at the end. */
async function readFile(name: string, directory: string | undefined): Promise<Uint8Array> {
  if (directory === undefined) {
    const message = "The gate was started without --notify-dir; install this version's units."
    throw new Fault("config_invalid", message)
  }
  const path = join(directory, name)
  const bytes = await readPrivateFile(path, maxFileBytes)
  if (bytes === undefined) throw new Fault("config_invalid", `${path} doesn't exist.`)
  if (bytes.at(-1) !== 0x0a) return bytes
  return bytes.subarray(0, bytes.at(-2) === 0x0d ? -2 : -1)
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8")
}

type SecretForm = { readonly expected: string; readonly isOne: (secret: Uint8Array) => boolean }

const secretForms: Readonly<Partial<Record<NotifyTarget["form"], SecretForm>>> = {
  json: {
    expected: `expected at least ${minKeyBytes} bytes, as openssl rand -hex 32 writes`,
    isOne: ({ length }) => length >= minKeyBytes,
  },
  ntfy: {
    expected: "expected an access token",
    // What a header takes: printable ASCII without spaces.
    isOne: (secret) => secret.length > 0 && secret.every((byte) => byte > 0x20 && byte < 0x7f),
  },
  pagerduty: {
    expected: "expected the integration key of PagerDuty's Events API v2, 32 letters and digits",
    isOne: (secret) => secret.length === 32 && secret.every(isLetterOrDigit),
  },
}

function isLetterOrDigit(byte: number): boolean {
  return /^[A-Za-z0-9]$/.test(String.fromCharCode(byte))
}

function invalid(path: string, expected: string): Fault {
  return new Fault("config_invalid", `${path} can't be used; ${expected}.`)
}
