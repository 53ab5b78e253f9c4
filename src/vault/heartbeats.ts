import type { BotParams, BotResults } from "../link/methods.ts"
import type { Refusal } from "../link/refusal.ts"
import { err, type Result } from "../std/result.ts"
import { isJsonObject } from "../venue/json.ts"
import type { Client } from "./bindings.ts"
import type { Clock } from "./clock.ts"
import { freezeOf } from "./freeze.ts"
import { clientWithRight } from "./identify.ts"
import { readJson } from "./read-json.ts"
import { refuse } from "./refuse.ts"
import { invalidRequest } from "./split-body.ts"
import type { Vault } from "./vault.ts"

/** When clients were heard last, in monotonic time: a clock that is set makes nobody miss a beat. */
export type Heartbeats = {
  hear(client: string): void
  /** How long a client has been silent; since the start for one that wasn't heard since. */
  silentMs(client: string): number
}

/** Begins now, as if every client had just been heard. */
export function openHeartbeats({ monotonicMs }: Pick<Clock, "monotonicMs">): Heartbeats {
  const openedMs = monotonicMs()
  const heardMs = new Map<string, number>()
  return {
    hear: (client) => void heardMs.set(client, monotonicMs()),
    silentMs: (client) => monotonicMs() - (heardMs.get(client) ?? openedMs),
  }
}

/**
 * `POST /heartbeat`: the client is there. Its silence counts from its first heartbeat on, since a bot that
 * never came up has no orders that a stop would help. That it counts is in the ledger, so a restart of the
 * daemon in which the bot ended too is no way out: the count begins at the start then. Beats never thaw.
 */
export async function heartbeat(
  params: BotParams["heartbeat"],
  vault: Vault,
): Promise<BotResults["heartbeat"]> {
  const read = readHeartbeat(params, vault)
  if (!read.ok) return refuse(read.error, null)
  const { name, keys } = read.value
  vault.heartbeats.hear(name)
  const { config, armed } = vault.active()
  const watch = config.heartbeats.get(name)
  if (watch !== undefined && !armed.includes(name)) {
    await vault.act({ act: "heartbeat_armed", client: name })
  }
  const request = { client: name, key: keys[0], reducesRisk: false }
  return {
    kind: "answer",
    heartbeat: {
      within_ms: watch?.withinMs ?? null,
      then: watch?.then ?? null,
      frozen: freezeOf(request, vault.active().freezes) !== undefined,
    },
  }
}

function readHeartbeat(
  { token, body }: BotParams["heartbeat"],
  vault: Vault,
): Result<Client, Refusal> {
  const client = clientWithRight(token, "heartbeat", vault)
  if (!client.ok) return client
  const wrong = wrongBody(Buffer.from(body, "base64"))
  return wrong === undefined ? client : err(wrong)
}

/** The clients that were heard once and are silent for longer than they may be. */
export function silentClients(vault: Pick<Vault, "active" | "heartbeats">): readonly string[] {
  const { armed, config, clients } = vault.active()
  return armed.filter((name) => {
    const watch = config.heartbeats.get(name)
    const client = clients.find((each) => each.name === name)
    // Of a client that is revoked no heartbeat can come any more.
    if (watch === undefined || client === undefined || client.tokenHash === null) return false
    return vault.heartbeats.silentMs(name) > watch.withinMs
  })
}

function wrongBody(bytes: Uint8Array): Refusal | undefined {
  const json = readJson(bytes)
  if (!json.ok) return json.error
  if (isJsonObject(json.value) && Object.keys(json.value).length === 0) return undefined
  return invalidRequest([{ path: "", rule: "heartbeat", message: "the body must be {}" }])
}
