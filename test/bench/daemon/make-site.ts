import { randomBytes } from "node:crypto"
import { appendFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"

import { dialAdmin } from "../../../src/commands/installation/admin.ts"
import { makeInstallation, makePassphraseInstallation } from "../../support/countersign.ts"
import { keyParams } from "../../support/key-pair.ts"
import type { Settings } from "../case.ts"
import { policyTexts } from "./policy-texts.ts"
import { serveSite, type Daemon } from "./serve-site.ts"

export type Bot = { readonly token: string; readonly address: string }

/** An installation with keys, and a client for each. No daemon runs in it unless it is served. */
export type Site = {
  readonly dir: string
  readonly bots: readonly Bot[]
  /** Of a client that may read metrics and nothing else. */
  readonly metricsToken: string
  /** Starts its daemon. */
  serve(): Promise<Daemon>
  remove(): Promise<void>
}

export type SiteAsk = {
  readonly program: Settings["program"]
  readonly rules?: number
  readonly keys?: number
  /** Instead of the sandbox's. */
  readonly venueUrl?: string
  readonly opensBy?: "credential" | "passphrase"
  /** Added to countersign.yaml. */
  readonly lines?: string
  /** Whose daemon it is; this checkout's if left out. */
  readonly checkout?: string | undefined
}

/** Makes an installation with so many rules and keys and without rate budgets. */
export async function makeSite(ask: SiteAsk): Promise<Site> {
  const { program, checkout, rules = 20, keys = 32, venueUrl, opensBy = "credential", lines } = ask
  const upstream = venueUrl === undefined ? [] : ["--upstream", venueUrl]
  const make = opensBy === "credential" ? makeInstallation : makePassphraseInstallation
  const installation = await make(["--venue", "sandbox", ...upstream])
  const { dir } = installation
  await writePolicies(dir, policyTexts(rules))
  if (lines !== undefined) await appendFile(join(dir, "countersign.yaml"), lines)
  const daemon = await serveSite({ program, dir, bots: [] })
  const { bots, metricsToken } = await addBots(dir, keys)
  await daemon.stop()
  return {
    dir,
    bots,
    metricsToken,
    serve: () => serveSite({ program, checkout, dir, bots }),
    remove: () => installation.remove(),
  }
}

async function writePolicies(dir: string, texts: readonly string[]): Promise<void> {
  await rm(join(dir, "policies/example.yaml"), { force: true })
  for (const [index, text] of texts.entries()) {
    await writeFile(join(dir, `policies/bench-${index}.yaml`), text, { mode: 0o600 })
  }
}

/** Through the admin socket, since a command for each would take a minute. */
async function addBots(dir: string, keys: number): Promise<Pick<Site, "bots" | "metricsToken">> {
  const admin = await dialAdmin({ configDir: dir, stateDir: dir })
  if (admin === undefined) throw new Error("the daemon doesn't answer")
  const bots: Bot[] = []
  for (let index = 0; index < keys; index++) {
    const name = `k${index}`
    const { address } = await admin.call("addKey", {
      name,
      role: "agent",
      ...keyParams(randomBytes(32)),
    })
    const client = { name: `bot${index}`, keys: [name], rights: [], allowTypeB: false }
    const { token } = await admin.call("addClient", client)
    bots.push({ token, address })
  }
  const scraper = { name: "scraper", keys: ["k0"], rights: ["metrics" as const], allowTypeB: false }
  const { token: metricsToken } = await admin.call("addClient", scraper)
  admin.close()
  return { bots, metricsToken }
}
