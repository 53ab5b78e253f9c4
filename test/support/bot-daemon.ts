import { appendFileSync } from "node:fs"
import { join } from "node:path"

import { bot, type Bot } from "./bot.ts"
import { makeInstallation, serve } from "./countersign.ts"
import { askHttp, type HttpAsk, type HttpReply } from "./gate.ts"
import { killAllNaming } from "./process-tree.ts"
import { readLedger, type JournalEntry } from "./read-ledger.ts"
import {
  addClient,
  makeTradingKeys,
  tradingPolicy,
  writePolicy,
  type TradingKeys,
} from "./trading-keys.ts"

export type BotDaemon = {
  readonly dir: string
  readonly url: string
  readonly port: number
  readonly keys: TradingKeys
  /** The token of the client `bot`, which may use `mm`, and `main` for account operations. */
  readonly token: string
  readonly bot: Bot
  /** Posts with the bot's token, `main` and `mm` behind it; `headers` come on top. */
  post(
    path: string,
    body: string | Buffer | object,
    headers?: HttpAsk["headers"],
  ): Promise<HttpReply>
  /** Ends it with SIGTERM and returns what is in its ledger. */
  stop(): Promise<readonly JournalEntry[]>
  remove(): Promise<void>
}

/** A real daemon with keys in memory, a policy that lets bots trade, and a client. */
export async function startBotDaemon(
  initOptions: readonly string[],
  venueLines = "",
): Promise<BotDaemon> {
  const installation = await makeInstallation(["--backend", "memory", ...initOptions])
  const { dir } = installation
  appendFileSync(join(dir, "venue.yaml"), venueLines)
  await writePolicy(dir, tradingPolicy)
  const daemon = await serve(dir)
  const keys = await makeTradingKeys(dir)
  const token = await addClient(dir, "bot")
  const port = Number(new URL(daemon.url).port)
  const usual = { "content-type": "application/json", authorization: `Bearer ${token}` }
  return {
    dir,
    url: daemon.url,
    port,
    keys,
    token,
    bot: bot(daemon.url, token),
    post: (path, body, headers = {}) =>
      askHttp(port, {
        method: "POST",
        path,
        headers: { ...usual, ...headers },
        body: typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body),
      }),
    stop: async () => {
      const code = await daemon.stop()
      if (code !== 0) throw new Error(`the daemon ended with ${code}: ${daemon.stderr()}`)
      return readLedger(join(dir, "ledger.db"))
    },
    remove: async () => {
      await daemon.stop("SIGKILL")
      await killAllNaming(dir)
      await installation.remove()
    },
  }
}
