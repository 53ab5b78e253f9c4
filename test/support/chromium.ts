import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core"

import { needs } from "./needs.ts"

/** For tests of what people look at. */
export const needsChromium = needs("chromium", "apt-get install chromium")

const installedAs = "/usr/bin/chromium" // Debian's

/** Names of servers on 127.0.0.1, as somebody on the network can give this machine any. */
export const foreignNames = ["evil.example", "other.example"]

/** No other name is anybody's: the browser can't leave this machine. */
const hostRules = [
  ...foreignNames.map((name) => `MAP ${name} 127.0.0.1`),
  "MAP * ~NOTFOUND",
  "EXCLUDE 127.0.0.1",
].join(", ")

/**
 * Starts a browser of its own, without a window and with an empty profile. It takes 127.0.0.1:`port` for a server
 * on the internet: else it would by itself keep pages that didn't come from loopback from it, as not every browser does.
 */
export function openChromium(port: number): Promise<Browser> {
  return chromium.launch({
    executablePath: installedAs,
    args: [
      `--host-resolver-rules=${hostRules}`,
      `--ip-address-space-overrides=127.0.0.1:${port}=public`,
    ],
    timeout: longestWaitMs,
  })
}

/** A machine that is busy with other tests takes its time. */
export const longestWaitMs = 30_000

export type WatchedPage = {
  readonly page: Page
  /** What the browser complained about since this was asked last, and each request that went to another origin. */
  takeComplaints(): readonly string[]
}

/** Opens an empty page, and keeps what goes wrong on it: errors, warnings, what the policy of content blocks. */
export async function openWatched(context: BrowserContext, origin: string): Promise<WatchedPage> {
  const page = await context.newPage()
  page.setDefaultTimeout(longestWaitMs)
  let complaints: string[] = []
  page.on("console", (message) => {
    const type = message.type()
    if (type === "error" || type === "warning") complaints.push(`${type}: ${message.text()}`)
  })
  page.on("pageerror", (error) => complaints.push(`uncaught: ${error.message}`))
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== origin) complaints.push(`asked ${request.url()}`)
  })
  await page.addInitScript(tellViolations)
  return {
    page,
    takeComplaints() {
      const taken = complaints
      complaints = []
      return taken
    },
  }
}

const tellViolations = `addEventListener("securitypolicyviolation", (event) =>
  console.error("blocked by policy: " + event.violatedDirective + " " + event.blockedURI))`
