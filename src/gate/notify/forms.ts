import { createHmac, hash } from "node:crypto"

import type { NotifyTarget } from "../../link/gate-settings.ts"
import type { Message } from "./message.ts"

/** What is posted, and where. */
export type Post = {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Where a target is, and its secret where it has one. */
export type Address = { readonly url: URL; readonly secret: Uint8Array | undefined }

/** A message as the target's service takes it. */
export function postIn(form: NotifyTarget["form"], message: Message, address: Address): Post {
  const post = { headers: asJson, url: address.url }
  switch (form) {
    case "json":
      return signedJson(message, address)
    case "slack":
      return { ...post, body: slackBody(message) }
    case "telegram":
      return telegramPost(message, address.url)
    case "ntfy":
      return ntfyPost(message, address)
    case "pagerduty":
      return { ...post, body: pagerDutyEvent(message, address) }
  }
}

const asJson = { "content-type": "application/json" }

/** `X-Countersign-Signature: sha256=` and HMAC-SHA256 (RFC 2104) of the body's very bytes, in hex. */
function signedJson(message: Message, { url, secret }: Address): Post {
  const body = JSON.stringify(message)
  if (secret === undefined) return { url, headers: asJson, body }
  const signature = createHmac("sha256", secret).update(body).digest("hex")
  return { url, headers: { ...asJson, "x-countersign-signature": `sha256=${signature}` }, body }
}

/** Slack cuts a text off after 40,000 characters and asks for no more than 4,000 (docs.slack.dev, "Formatting message text"; 2026-11). */
const maxSlackChars = 4_000

/** `&`, `<` and `>` begin links and mentions, so they are escaped; without `mrkdwn`, `_` and `*` stay what they are. */
function slackBody({ text }: Message): string {
  const plain = clipped(text, maxSlackChars, (part) => slackText(part).length)
  return JSON.stringify({ text: slackText(plain), mrkdwn: false })
}

function slackText(text: string): string {
  const escaped = { "&": "&amp;", "<": "&lt;", ">": "&gt;" } as const
  return text.replace(/[&<>]/g, (char) => escaped[char as keyof typeof escaped]) // it matched
}

/** 1 to 4096 characters (core.telegram.org/bots/api#sendmessage; 2026-11). */
const maxTelegramChars = 4_096

/** Without `parse_mode` nothing in a text means anything else. `chat_id` stands in the address, which is the file's. */
function telegramPost({ text }: Message, address: URL): Post {
  const url = new URL(address)
  const chat = url.searchParams.get("chat_id") ?? ""
  url.searchParams.delete("chat_id")
  const body = {
    chat_id: /^-?\d{1,15}$/.test(chat) ? Number(chat) : chat,
    text: clipped(text, maxTelegramChars, ({ length }) => length),
    link_preview_options: { is_disabled: true },
  }
  return { url, headers: asJson, body: JSON.stringify(body) }
}

/** What is longer comes as a file (docs.ntfy.sh/publish, "Limitations"; 2026-11). */
const maxNtfyBytes = 4_096

/** A title of 1 KB and tags of 512 bytes are the most; ours are ASCII, which headers take as it is. */
function ntfyPost({ text, alarm, state, severity }: Message, { url, secret }: Address): Post {
  const isOver = state === "cleared"
  const isCritical = severity === "critical"
  const token = secret === undefined ? "" : Buffer.from(secret).toString("latin1")
  return {
    url,
    headers: {
      "content-type": "text/plain; charset=utf-8",
      title: `Countersign: ${alarm}${isOver ? " is over" : ""}`,
      priority: isCritical && !isOver ? "urgent" : "default",
      tags: isOver ? "white_check_mark" : isCritical ? "rotating_light" : "warning",
      ...(token !== "" && { authorization: `Bearer ${token}` }),
    },
    body: clipped(text, maxNtfyBytes, (part) => Buffer.byteLength(part)),
  }
}

/** A summary has at most 1,024 characters, a dedup_key 255 (developer.pagerduty.com, "Send an Alert Event"; 2026-12). */
const maxSummaryChars = 1_024

/** What came opens an incident, and the same key ends it when it is over. */
function pagerDutyEvent(message: Message, { secret = new Uint8Array() }: Address): string {
  const { alarm, subject, state, severity, text, at, host } = message
  const event = {
    routing_key: Buffer.from(secret).toString("latin1"),
    // What an alarm is about may be longer than a key; what is hashed has one length.
    dedup_key: hash("sha256", JSON.stringify([host, alarm, subject])),
  }
  if (state === "cleared") return JSON.stringify({ ...event, event_action: "resolve" })
  const summary = clipped(text, maxSummaryChars, ({ length }) => length)
  const payload = { summary, source: host, severity, timestamp: at, class: alarm }
  return JSON.stringify({ ...event, event_action: "trigger", payload })
}

/** As many characters as have room, by the size that their service counts; of a held request the cost comes last. */
function clipped(text: string, room: number, sizeOf: (part: string) => number): string {
  if (sizeOf(text) <= room) return text
  let left = room - sizeOf("…")
  let length = 0
  for (const char of text) {
    left -= sizeOf(char)
    if (left < 0) break
    length += char.length
  }
  return `${text.slice(0, length)}…`
}
