import { join } from "node:path"

import { isWebhookUrl, webhookUrlForm, type NotifyTarget } from "../../link/views/gate-settings.ts"
import { Fault } from "../../std/fault.ts"
import { readPrivateFile } from "../../std/private-file.ts"
import type { Address } from "./forms.ts"

/** More than any address or token has. */
const maxBytes = 4_096

/** A key that can be guessed signs nothing; `openssl rand -hex 32` has 64. */
const minKeyBytes = 32

/**
 * Reads a target's address and secret from the gate's files, anew for each message: a file that is exchanged counts at
 * once. The caller overwrites the secret.
 *
 * @throws {Fault} `file_unsafe` or `config_invalid`, with a sentence that has nothing of what is in them.
 */
export async function readAddress(
  target: NotifyTarget,
  directory: string | undefined,
): Promise<Address> {
  const url = ("url" in target ? target.url : undefined) ?? (await readUrl(target, directory))
  const file = "secret_file" in target ? target.secret_file : undefined
  if (file === undefined) return { url: new URL(url), secret: undefined }
  const secret = await readFile(file, directory)
  if (!isSecret(secret, target.form)) {
    secret.fill(0)
    throw invalid(
      join(directory ?? "", file),
      secretForms[target.form === "json" ? "json" : "ntfy"],
    )
  }
  return { url: new URL(url), secret }
}

async function readUrl(
  { form, url_file: file = "" }: NotifyTarget,
  directory: string | undefined,
): Promise<string> {
  const url = textOf(await readFile(file, directory))
  if (!isWebhookUrl(url)) throw invalid(join(directory ?? "", file), webhookUrlForm)
  if (form === "telegram" && !new URL(url).searchParams.has("chat_id")) {
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
  const bytes = await readPrivateFile(path, maxBytes)
  if (bytes === undefined) throw new Fault("config_invalid", `${path} doesn't exist.`)
  if (bytes.at(-1) !== 0x0a) return bytes
  return bytes.subarray(0, bytes.at(-2) === 0x0d ? -2 : -1)
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8")
}

const secretForms = {
  json: `expected at least ${minKeyBytes} bytes, as openssl rand -hex 32 writes`,
  ntfy: "expected an access token",
}

function isSecret(secret: Uint8Array, form: NotifyTarget["form"]): boolean {
  if (form === "json") return secret.length >= minKeyBytes
  // What a header takes: printable ASCII without spaces.
  return secret.length > 0 && secret.every((byte) => byte > 0x20 && byte < 0x7f)
}

function invalid(path: string, expected: string): Fault {
  return new Fault("config_invalid", `${path} can't be used; ${expected}.`)
}
