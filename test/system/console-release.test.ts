import assert from "node:assert/strict"
import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import type { Browser, Page } from "playwright-core"

import type { HoldView } from "../../src/contract/bot-views.ts"
import { axeViolations } from "../support/axe.ts"
import { bot, limitOrder, type Answer, type Bot } from "../support/bot.ts"
import {
  longestWaitMs,
  needsChromium,
  openChromium,
  openWatched,
  type WatchedPage,
} from "../support/chromium.ts"
import { openConsole, type OpenedConsole } from "../support/console-site.ts"
import {
  countersign,
  countersignJson,
  makeInstallation,
  serve,
  type Served,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { killAllNaming } from "../support/process-tree.ts"
import { addClient, makeTradingKeys, writePolicy } from "../support/trading-keys.ts"
import { startWebhook, type Webhook } from "../support/webhook.ts"

const policy = `policy: mm
rules:
  - {name: quote, endpoints: [placeBatch], symbols: [BTC-PERP], max_quantity: "1"}
  - {name: one, endpoints: [placeOrder], symbols: [BTC-PERP], max_quantity: "1"}
  - {name: mode, endpoints: [setPositionMode]}
hold:
  - {name: large, endpoints: [placeBatch], over_quantity: "0.4", ttl: 15m}
  - {name: large-one, endpoints: [placeOrder], over_quantity: "0.4", ttl: 15m}
  - {name: account, endpoints: [setPositionMode], ttl: 15m}
`
const inChromium = { timeout: 240_000, ...needsChromium }
const batch = {
  orders: [limitOrder(), limitOrder({ quantity: "0.45", client_order_id: "release me" })],
}
const words =
  "place 2 orders: buy 0.1 BTC-PERP at 63,000 limit; buy 0.45 BTC-PERP at 63,000 limit, worst 34,650 USD, held by mm/large"

describe("a held request, from the bot to a person and back", inChromium, () => {
  let installation: TemporaryInstallation
  let daemon: Served
  let webhooks: Readonly<Record<"open" | "closed", Webhook>>
  let client: Bot
  let opened: OpenedConsole
  let browser: Browser
  let watched: WatchedPage
  let page: Page
  before(async () => {
    webhooks = { open: await startWebhook(), closed: await startWebhook() }
    installation = await makeInstallation()
    const { dir } = installation
    const target = (name: "open" | "closed", more: string) =>
      `  - {name: ${name}, form: json, url: "${webhooks[name].url}"${more}}\n`
    const targets = target("open", ", details: true") + target("closed", "")
    appendFileSync(join(dir, "countersign.yaml"), `notify:\n${targets}`)
    await writePolicy(dir, policy)
    daemon = await serve(dir)
    await makeTradingKeys(dir)
    client = bot(daemon.url, await addClient(dir, "bot"))
    opened = await openConsole(dir, ["--release"])
    browser = await openChromium(opened.port)
    const context = await browser.newContext({ reducedMotion: "reduce" })
    context.setDefaultTimeout(longestWaitMs)
    watched = await openWatched(context, opened.url)
    ;({ page } = watched)
    await page.goto(opened.link)
  })
  after(async () => {
    await browser.close()
    await opened.stop()
    await daemon.stop("SIGKILL")
    await killAllNaming(installation.dir)
    await installation.remove()
    for (const webhook of Object.values(webhooks)) await webhook.close()
  })

  const place = () => client.post("/sign/v1/trade/orders/batch", batch)
  const switchMode = () => client.post("/sign/v1/account/position-mode", { position_mode: "hedge" })
  /** Waits until the page has this hold, and no other. */
  async function shows({ json }: Answer): Promise<void> {
    await page.locator(`#${String(json.data["hold"])}`).waitFor()
    await page.waitForFunction("document.querySelectorAll('.holds li').length === 1")
  }
  const dialog = () => page.getByRole("dialog")
  const waiting = () => page.getByRole("region", { name: "Waiting for a person" })
  const focused = () => page.evaluate<string>("document.activeElement?.textContent?.trim() ?? ''")

  /** Presses Tab until the focus is on what says this. */
  async function tabTo(text: string): Promise<void> {
    for (let presses = 0; presses < 40; presses += 1) {
      if ((await focused()) === text) return
      await page.keyboard.press("Tab")
    }
    assert.fail(`Tab doesn't reach ${text}`)
  }

  it("is held, and said in words in the terminal, in the console, and to a webhook with details alone", async () => {
    const answer = await place()
    assert.deepEqual([answer.status, answer.json.code], [403, "approval_required"], answer.text)
    const { stdout } = await countersign(["held", "list", "--dir", installation.dir])
    assert.match(stdout, new RegExp(`^  ${words}; expires in 14 min$`, "m"))
    await waiting().getByText(words, { exact: true }).waitFor()
    assert.ok(!(await page.content()).includes("release me"))
    const [open, closed] = await Promise.all([
      webhooks.open.message("hold_waits"),
      webhooks.closed.message("hold_waits"),
    ])
    assert.ok(open.text.includes(`: ${words}; expires in 14 min; countersign held list`), open.text)
    assert.match(
      closed.text,
      /: A request waits for a person: placeBatch of bot with mm, held by mm\/large;/,
    )
    for (const { text } of [open, closed]) assert.ok(!text.includes("release me"))
    for (const amount of ["0.45", "63,000", "34,650"]) assert.ok(!closed.text.includes(amount))
  })

  it("is shown whole, each order by itself, and decided by nothing there", async () => {
    await waiting().getByRole("button", { name: "Show all of it" }).click()
    await dialog().waitFor()
    const shown = await dialog().innerText()
    for (const each of [words, '1. {"is_buy"', '2. {"client_order_id"', '"quantity":"0.45"'])
      assert.ok(shown.includes(each), `${each} in ${shown}`)
    assert.equal(await dialog().getByRole("button").count(), 1)
    await dialog().getByRole("button", { name: "Close" }).click()
    await dialog().waitFor({ state: "hidden" })
  })

  it("isn't released by Enter alone, nor by Escape", async () => {
    await tabTo("Release…")
    await page.keyboard.press("Enter")
    await dialog().waitFor()
    assert.equal(await focused(), "Keep it waiting")
    assert.ok((await dialog().innerText()).includes(words))
    assert.deepEqual(await axeViolations(page), [])
    await page.keyboard.press("Enter")
    await dialog().waitFor({ state: "hidden" })
    await page.keyboard.press("Enter")
    await dialog().waitFor()
    await page.keyboard.press("Escape")
    await dialog().waitFor({ state: "hidden" })
    assert.equal((await place()).json.code, "approval_required")
  })

  for (const [width, height] of [
    [1440, 900],
    [390, 740],
  ] as const) {
    it(`fits ${width} x ${height} with its dialog, and axe finds nothing wrong, light and dark`, async () => {
      await page.setViewportSize({ width, height })
      await waiting().getByRole("button", { name: "Release…" }).click()
      await dialog().waitFor()
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme })
        const wide = await page.evaluate<number>("document.documentElement.scrollWidth")
        assert.ok(wide <= width, `${wide} px wide`)
        assert.deepEqual(await axeViolations(page), [])
        const shots = process.env["COUNTERSIGN_SHOTS"]
        if (shots !== undefined)
          await page.screenshot({ path: join(shots, `release-${width}-${colorScheme}.png`) })
      }
      await page.keyboard.press("Escape")
      await dialog().waitFor({ state: "hidden" })
    })
  }

  it("is released with a keyboard alone, and signed once", async () => {
    await tabTo("Release…")
    await page.keyboard.press("Enter")
    await dialog().waitFor()
    await tabTo("Release it")
    await page.keyboard.press("Enter")
    await dialog().waitFor({ state: "hidden" })
    const signed = await place()
    assert.equal(signed.status, 200, signed.text)
    assert.equal((await place()).json.code, "approval_required")
    const { stdout } = await countersign([
      "audit",
      "tail",
      "--kind",
      "act",
      "--dir",
      installation.dir,
    ])
    assert.match(stdout, /asked by=console\/\S+ method=decideHold/)
    await webhooks.open.message("hold_waits", "cleared")
  })

  it("is refused with a keyboard alone", async () => {
    await shows(await place())
    await tabTo("Refuse…")
    await page.keyboard.press("Enter")
    await dialog().waitFor()
    await tabTo("Refuse it")
    await page.keyboard.press("Enter")
    await dialog().waitFor({ state: "hidden" })
    await waiting().waitFor({ state: "detached" })
    const holds = await countersignJson<readonly HoldView[]>([
      "held",
      "list",
      "--dir",
      installation.dir,
    ])
    assert.deepEqual(
      holds.map(({ state }) => state),
      ["refused", "used"],
    )
  })

  it("is granted with further orders like it, all three terms or none, and listed until they are used up", async () => {
    const large = () => client.post("/sign/v1/trade/orders", limitOrder({ quantity: "0.45" }))
    await shows(await large())
    await tabTo("Release…")
    await page.keyboard.press("Enter")
    await dialog().waitFor()
    await dialog().getByLabel("Minutes").fill("30")
    await dialog().getByLabel("Orders in all").fill("2")
    assert.deepEqual(await axeViolations(page), [])
    await dialog().getByRole("button", { name: "Release it" }).click()
    await dialog().getByText("fill in all three").waitFor()
    await dialog().getByLabel("Quantity in all").fill("0.9")
    await dialog().getByRole("button", { name: "Release it" }).click()
    await dialog().waitFor({ state: "hidden" })
    const granted = page.getByRole("region", { name: "Granted for a while" })
    await granted.getByText(/0\.9 BTC-PERP .*in 2 more requests together/).waitFor()
    await granted.getByText(/^countersign held grants --end hold_/).waitFor()
    assert.deepEqual([(await large()).status, (await large()).status], [200, 200])
    await granted.waitFor({ state: "detached" })
    assert.equal((await large()).json.code, "approval_required")
    await shows(await large())
    await tabTo("Refuse…")
    await page.keyboard.press("Enter")
    await dialog().getByRole("button", { name: "Refuse it" }).click()
    await waiting().waitFor({ state: "detached" })
  })

  it("has to be typed in where it is about the whole account", async () => {
    await shows(await switchMode())
    await tabTo("Release…")
    await page.keyboard.press("Enter")
    await dialog().waitFor()
    await page.keyboard.type("placeOrder")
    await page.keyboard.press("Enter")
    assert.ok(await dialog().isVisible())
    assert.equal((await switchMode()).json.code, "approval_required")
    await page.keyboard.press("Control+A")
    await page.keyboard.type("setPositionMode")
    await page.keyboard.press("Enter")
    await dialog().waitFor({ state: "hidden" })
    assert.equal((await switchMode()).status, 200)
    assert.deepEqual(watched.takeComplaints(), [])
  })
})
