import assert from "node:assert/strict"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import { setTimeout as pause } from "node:timers/promises"

import type { Browser, BrowserContext, Page } from "playwright-core"

import { personName } from "../../src/commands/installation/usual-installation.ts"
import { axeViolations } from "../support/axe.ts"
import { limitOrder } from "../support/bot.ts"
import { keepOutput, registerSecret } from "../support/canaries.ts"
import {
  longestWaitMs,
  needsChromium,
  openChromium,
  openWatched,
  type WatchedPage,
} from "../support/chromium.ts"
import { startConsoleSite, type ConsoleSite } from "../support/console-site.ts"
import { countersign } from "../support/countersign.ts"
import { startForeignSite, foreignPage, type ForeignSite } from "../support/foreign-site.ts"
import { exchange } from "../support/exchange.ts"
import { childRunning } from "../support/process-tree.ts"

const orders = "/sign/v1/trade/orders"
const tooLarge = { quantity: "7" }
/** Who the console says froze: the user behind this test. */
const by = `console/${personName()}`
const sizes = [
  { width: 1440, height: 900 },
  { width: 820, height: 1180 },
  { width: 360, height: 740 },
]
const schemes = ["light", "dark"] as const
/** What Chromium itself says of an answer that isn't 2xx. */
const saysUnauthorized =
  "error: Failed to load resource: the server responded with a status of 401 (Unauthorized)"
/** And of one that says that the vault is away. */
const saysAway =
  "error: Failed to load resource: the server responded with a status of 503 (Service Unavailable)"

describe("the console in Chromium", { timeout: 300_000, ...needsChromium }, () => {
  let site: ConsoleSite
  let url: string
  let port: number
  let browser: Browser
  let context: BrowserContext
  let watched: WatchedPage
  let page: Page
  let foreign: ForeignSite
  let shots: string
  /** The session's, as headers. */
  let halves: Readonly<Record<"cookie" | "countersign-console", string>>
  before(async () => {
    site = await startConsoleSite()
    ;({ url, port } = site.console)
    browser = await openChromium(port)
    foreign = await startForeignSite()
    shots = process.env["COUNTERSIGN_SHOTS"] ?? (await mkdtemp(join(tmpdir(), "cs-shots-")))
    context = await browser.newContext({ reducedMotion: "reduce" })
    context.setDefaultTimeout(longestWaitMs)
    watched = await openWatched(context, url)
    ;({ page } = watched)
  })
  after(async () => {
    await browser.close()
    foreign.close()
    await site.remove()
    if (process.env["COUNTERSIGN_SHOTS"] === undefined) await rm(shots, { recursive: true })
  })

  const sign = (changes = {}) => site.bot.post(orders, limitOrder(changes))
  const button = (name: string) => page.getByRole("button", { name, exact: true })
  const dialog = () => page.getByRole("dialog", { name: "Freeze everything?" })
  const rowOf = (text: string) => page.getByRole("row").filter({ hasText: text })
  const assertCalm = () => assert.deepEqual(watched.takeComplaints(), [])
  const standsAs = (word: string, of = page) => of.locator("#standing", { hasText: word }).waitFor()
  const doorSays = (title: string, of = page) => of.getByRole("heading", { name: title }).waitFor()

  async function assertDoor(title: string, of = page): Promise<void> {
    await doorSays(title, of)
    // A page that has looked knows which installation it was of.
    assert.ok(await of.getByText(/^countersign console( --dir \S+)?$/).isVisible())
    assert.equal(await of.getByRole("button", { name: "Freeze…" }).count(), 0)
  }

  it("opens by the link that countersign console prints, once, and the link leaves the address bar", async () => {
    const { link } = site.console
    await page.goto(link)
    await standsAs("Signing")
    assert.equal(page.url(), `${url}/`)
    const devtools = await context.newCDPSession(page)
    const { entries } = await devtools.send("Page.getNavigationHistory")
    assert.deepEqual(
      entries.map((entry) => entry.url),
      ["about:blank", `${url}/`],
    )
    assertCalm()

    const again = await openWatched(context, url)
    await again.page.goto(link)
    await assertDoor("This link doesn't open the console", again.page)
    assert.ok(await again.page.getByText("A link works once, within 60 seconds.").isVisible())
    const complaints = again.takeComplaints().filter((each) => each !== saysUnauthorized)
    assert.deepEqual(complaints, [])
    await again.page.close()
  })

  it("keeps half of its session out of scripts' reach, and survives a reload", async () => {
    await page.reload()
    await standsAs("Signing")
    const [cookie, ...others] = await context.cookies()
    assert.ok(cookie !== undefined && others.length === 0)
    const { name, value, httpOnly, sameSite, path } = cookie
    assert.deepEqual([httpOnly, sameSite, path], [true, "Strict", "/"])
    assert.equal(name, `countersign_console_${port}`)
    assert.equal(await page.evaluate("document.cookie"), "")
    const proof = await page.evaluate<string>("sessionStorage.getItem('countersign-proof')")
    for (const half of [value, proof]) registerSecret("a console's session", half)
    halves = { cookie: `${name}=${value}`, "countersign-console": proof }
    assertCalm()
  })

  it("shows an order and a refusal as they fall, with the rule and the reason", async () => {
    assert.equal((await sign()).status, 200)
    assert.equal((await sign(tooLarge)).json.code, "policy_denied")
    const allowed = rowOf("✓ allowed").filter({ hasText: "desk/quote" })
    await allowed.waitFor()
    assert.match(
      await allowed.innerText(),
      /allowed[^]*buy 0\.1 BTC-PERP at 63000, limit[^]*bot · mm[^]*desk\/quote/,
    )
    const refused = rowOf("asked 7 BTC-PERP")
    await refused.waitFor()
    assert.match(
      await refused.innerText(),
      /refused[^]*quantity_over_max[^]*asked 7 BTC-PERP, allowed 0\.5[^]*desk\/quote/,
    )
    // What a screen reader is told.
    await page.getByRole("status").filter({ hasText: "quantity_over_max" }).waitFor()

    await page.getByRole("checkbox", { name: "Only refused and held" }).check()
    await allowed.waitFor({ state: "detached" })
    assert.equal(await refused.count(), 1)
    await page.getByRole("checkbox", { name: "Only refused and held" }).uncheck()
    assertCalm()
  })

  it("opens a decision by click and by Enter, with what was asked in words and as its body", async () => {
    const allowed = rowOf("✓ allowed").filter({ hasText: "desk/quote" })
    const details = page.getByRole("row").filter({ has: page.getByText("Asked", { exact: true }) })
    await allowed.getByRole("cell").first().click()
    await details.waitFor()
    assert.match(
      await details.innerText(),
      /buy 0\.1 BTC-PERP at 63000, limit[^]*signed[^]*desk\/quote allows[^]*"quantity":"0\.1"[^]*nonce \d+[^]*rec_[^]*entry \d+ of \d+, [0-9a-f]{64}/,
    )
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme })
      await assertFit(page, `opened-${colorScheme}`)
    }
    await page.emulateMedia({ colorScheme: "light" })
    const opener = allowed.getByRole("button", { name: "buy 0.1 BTC-PERP" })
    await opener.focus()
    await page.keyboard.press("Enter")
    await details.waitFor({ state: "detached" })
    await page.keyboard.press("Enter")
    await details.waitFor()

    const refused = rowOf("asked 7 BTC-PERP")
    await refused.getByRole("button").click()
    await rowOf("That of a refusal isn't recorded.").waitFor()
    await details.waitFor({ state: "detached" })
    await refused.getByRole("button").click()
    assertCalm()
  })

  it("counts a refusal that comes again on its row", async () => {
    await Promise.all(Array.from({ length: 12 }, () => sign({ quantity: "8" })))
    await rowOf("asked 8 BTC-PERP").filter({ hasText: "× 12" }).waitFor()
    assert.equal(await rowOf("asked 8 BTC-PERP").count(), 1)
    assertCalm()
  })

  it("names a cancel as what it is", async () => {
    assert.equal(
      (await site.bot.post("/sign/v1/trade/orders/cancel", { order_id: "7" })).status,
      200,
    )
    const cancel = rowOf("cancel order 7")
    await cancel.waitFor()
    assert.match(await cancel.innerText(), /allowed[^]*desk\/get-out/)
    assertCalm()
  })

  it("shows by a filter what is of a code or a symbol alone", async () => {
    const choose = (part: string, value: string) =>
      page.getByRole("combobox", { name: part, exact: true }).selectOption(value)
    const [allowed, refused] = [rowOf("✓ allowed"), rowOf("✕ refused")]
    await choose("Code", "quantity_over_max")
    await allowed.first().waitFor({ state: "detached" })
    assert.ok((await refused.count()) >= 2)
    await choose("Code", "")
    await choose("Symbol", "BTC-PERP")
    await rowOf("cancel order 7").waitFor({ state: "detached" })
    assert.ok((await allowed.count()) >= 1)
    await choose("Client", "bot")
    await choose("Key", "mm")
    await choose("Code", "quantity_over_max")
    await allowed.first().waitFor({ state: "detached" })
    for (const part of ["Client", "Key", "Symbol", "Code"]) await choose(part, "")
    await rowOf("cancel order 7").waitFor()
    assertCalm()
  })

  /** How far to the left a plot's lines begin, which alone have colours, as a share of its width. */
  const beginOf = (plot: string) =>
    page.evaluate<number>(`(() => {
      const canvas = document.getElementById("${plot}").querySelector("canvas")
      const { width, height } = canvas
      const { data } = canvas.getContext("2d").getImageData(0, 0, width, height)
      let first = width
      for (let at = 0; at < data.length; at += 4) {
        const colours = data.subarray(at, at + 3)
        if (Math.max(...colours) - Math.min(...colours) > 60) first = Math.min(first, (at / 4) % width)
      }
      return first / width
    })()`)

  it("begins with the last five minutes of the ledger, in the list and in the plot", async () => {
    await page.reload()
    await standsAs("Signing")
    await rowOf("asked 8 BTC-PERP").filter({ hasText: "× 12" }).waitFor()
    await rowOf("cancel order 7").waitFor()
    let begin = 1
    for (let tries = 0; tries < 50 && begin > 0.5; tries += 1) {
      await pause(100)
      begin = await beginOf("plot-rate")
    }
    assert.ok(begin < 0.5, `the line begins at ${begin} of the plot`)
    assertCalm()
  })

  it("shows what waits for a person, and the command that lets it pass", async () => {
    const held = await sign({ symbol_id: 2, price: "3200" })
    const command = `countersign held release ${String(held.json.data["hold"])} --dir ${site.dir}`
    const waiting = page.getByRole("region", { name: "Waiting for a person" })
    await waiting.getByText(command, { exact: true }).waitFor()
    assert.match(
      await waiting.innerText(),
      /^[^]*buy 0\.1 ETH-PERP at 3,200 limit, worst 320 USD, held by desk\/ether\s+placeOrder of bot with mm, ends in/,
    )
    assert.equal(await waiting.getByRole("button", { name: /^Re(?:lease|fuse)/ }).count(), 0)
    assertCalm()
  })

  it("shows limits, budgets, keys and how long an agent's approval lasts", async () => {
    const gauges = page.getByRole("region", { name: "Limits and budgets" })
    for (const text of ["desk/hourly", "IP budget", "Address budget"]) {
      await gauges.getByText(text).first().waitFor()
    }
    await gauges.getByText("6,300", { exact: true }).waitFor()
    await page.getByRole("row", { name: /^mm .*\b(?:29|30) d left/ }).waitFor()
    await page.getByRole("row", { name: /^main wallet/ }).waitFor()
    for (const plot of ["Plot of signatures a second", "Plot of how long signing takes"]) {
      await page.getByRole("img", { name: plot }).locator("canvas").waitFor()
    }
    assertCalm()
  })

  /** Takes a picture of what a page shows, and asserts that nobody is kept from reading it. */
  async function assertFit(of: Page, name: string): Promise<void> {
    await of.screenshot({ path: join(shots, `${name}.png`) })
    const [wide = 0, visible = 0] = await of.evaluate<number[]>(
      "[document.documentElement.scrollWidth, innerWidth]",
    )
    assert.ok(wide <= visible, `${name} is ${wide} px wide in a window of ${visible}`)
    assert.deepEqual(await axeViolations(of), [], name)
  }

  for (const size of sizes) {
    const { width, height } = size
    it(`fits ${width} x ${height}, and axe finds nothing wrong, light and dark`, async () => {
      const door = await openWatched(context, url)
      await door.page.goto(`${url}/`)
      await assertDoor("The console needs a link", door.page)
      await Promise.all([page, door.page].map((each) => each.setViewportSize(size)))
      for (const colorScheme of schemes) {
        const name = `${width}x${height}-${colorScheme}`
        await door.page.emulateMedia({ colorScheme })
        await assertFit(door.page, `door-${name}`)
        await page.emulateMedia({ colorScheme })
        await assertFit(page, `console-${name}`)
        await button("Freeze…").click()
        await assertFit(page, `dialog-${name}`)
        await button("Keep signing").click()
        await dialog().waitFor({ state: "hidden" })
      }
      assert.deepEqual(door.takeComplaints(), [])
      await door.page.close()
      assertCalm()
    })
  }

  /** Presses Tab until it is on an element. */
  async function tabTo(id: string): Promise<void> {
    for (let presses = 0; presses < 40; presses += 1) {
      await page.keyboard.press("Tab")
      if ((await page.evaluate("document.activeElement?.id")) === id) return
    }
    assert.fail(`Tab doesn't reach ${id}`)
  }

  it("freezes by keyboard alone, and only for a reason", async () => {
    await page.setViewportSize(sizes[0]!)
    await page.emulateMedia({ colorScheme: "light" })
    await tabTo("freeze")
    await page.keyboard.press("Enter")
    await dialog().waitFor()
    await page.keyboard.press("Enter")
    await page.keyboard.type("  ")
    await page.keyboard.press("Enter")
    assert.ok(await dialog().isVisible())
    await page.keyboard.press("Escape")
    await dialog().waitFor({ state: "hidden" })
    assert.equal((await sign()).status, 200)

    // It is where it was left.
    await page.keyboard.press("Enter")
    await dialog().waitFor()
    await page.keyboard.type("the feed looks wrong")
    await page.keyboard.press("Enter")
    await dialog().waitFor({ state: "hidden" })
    const refused = await sign()
    assert.deepEqual([refused.status, refused.json.code], [423, "frozen"])
    assert.equal(refused.json.data["by"], by)
    await standsAs("Frozen")
    const notice = page.getByRole("alert", { name: "Frozen" })
    assert.ok((await notice.innerText()).includes(`by ${by}`))
    assert.match(await notice.innerText(), /the feed looks wrong/)
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme })
      await assertFit(page, `frozen-${colorScheme}`)
    }

    const shown = await notice.getByRole("code").innerText()
    assert.equal(shown, `countersign thaw --all --dir ${site.dir}`)
    const [, ...words] = shown.split(" ")
    assert.equal((await countersign(words)).code, 0)
    await standsAs("Signing")
    assert.equal((await sign()).status, 200)
    assertCalm()
  })

  it("keeps up with a hundred decisions a second, and a bounded number of rows", async () => {
    const burst = Array.from({ length: 30 }, async (_, index) => {
      await pause(index * 100)
      // Alike ones would share a record.
      await Promise.all(
        Array.from({ length: 10 }, (_, n) => sign({ quantity: `${index}.${n + 1}` })),
      )
    })
    await button("Freeze…").click()
    await dialog().waitFor()
    await button("Keep signing").click()
    await Promise.all(burst)
    await sign({ quantity: "777" })
    await rowOf("asked 777 BTC-PERP").waitFor()
    const table = page.getByRole("table", { name: /decisions, the newest first/ })
    const rows = (await table.getByRole("row").count()) - 1
    assert.ok(rows <= 200, `${rows} rows`)
    assertCalm()
  })

  const asPage = () => ({ origin: url, "content-type": "application/json" })

  async function assertNoSession(headers: Readonly<Record<string, string>>): Promise<void> {
    for (const [path, body] of [
      ["/look", "{}"],
      ["/freeze", '{"reason":"not by a person"}'],
      ["/end", "{}"],
    ] as const) {
      const ask = { method: "POST", path, body, headers: { ...asPage(), ...headers } }
      assert.equal((await exchange(port, ask)).status, 401, path)
    }
  }

  /** Signing goes on, and the session sees it. */
  async function assertUnharmed(): Promise<void> {
    price += 1
    assert.equal((await sign({ price: String(price) })).status, 200)
    const refused = `${price}.5`
    await sign({ quantity: refused })
    await rowOf(`asked ${refused} BTC-PERP`).waitFor()
    await standsAs("Signing")
    assertCalm()
  }
  let price = 50_000

  for (const host of ["127.0.0.1", "other.example"]) {
    it(`gives nothing to a page of another port under ${host}, and does nothing for it`, async () => {
      const elsewhere = await context.newPage()
      await elsewhere.goto(`http://${host}:${foreign.port}/`)
      const popup = elsewhere.waitForEvent("popup")
      const read = await elsewhere.evaluate<Record<string, string>>(`tryAll("${url}")`)
      const entries = Object.entries(read)
      assert.ok(entries.length > 15)
      for (const [attempt, seen] of entries) assert.equal(seen, "nothing", attempt)
      await assertDoor("The console needs a link", await popup)
      await (await popup).close()
      await elsewhere.close()
      await assertUnharmed()
    })
  }

  it("does nothing for a server on another port, which browsers hand the session's cookie", async () => {
    const elsewhere = await context.newPage()
    await elsewhere.goto(`http://127.0.0.1:${foreign.port}/console`)
    await elsewhere.close()
    const cookie = foreign.cookiesAt("/console") ?? ""
    assert.equal(cookie, halves.cookie)
    await assertNoSession({ cookie })
    await assertNoSession({ cookie, "countersign-console": "p".repeat(43) })
    await assertUnharmed()
  })

  it("isn't served under another name, to a person or to a page that pointed it here", async () => {
    const evil = `http://evil.example:${port}`
    const elsewhere = await context.newPage()
    const visit = await elsewhere.goto(`${evil}/`)
    assert.equal(visit?.status(), 421)

    // As if this page had come from its own server, before its name meant this machine.
    await elsewhere.route(`${evil}/own`, (route) =>
      route.fulfill({ contentType: "text/html", body: foreignPage }),
    )
    await elsewhere.goto(`${evil}/own`)
    const statuses = await elsewhere.evaluate(`(async () => {
      const headers = { "content-type": "application/json", "countersign-console": "${"p".repeat(43)}" }
      const post = { method: "POST", headers, body: '{"reason":"rebound"}' }
      const asked = [["/", {}], ["/assets/main.js", {}], ["/look", post], ["/session", post],
        ["/history", post], ["/record", post], ["/freeze", post], ["/end", post]]
      return Promise.all(asked.map(async ([path, init]) => (await fetch(path, init)).status))
    })()`)
    assert.deepEqual(statuses, Array(8).fill(421))

    await elsewhere.goto(`http://evil.example:${foreign.port}/`)
    const read = await elsewhere.evaluate(`attempts["fetch of the page"]("${evil}")`)
    assert.equal(read, "nothing")
    await elsewhere.close()
    await assertUnharmed()
  })

  it("does nothing for a page without a session, and tells a person how to get one", async () => {
    const other = await browser.newContext()
    const nobody = await openWatched(other, url)
    const bare = nobody.page
    await bare.goto(`${url}/`)
    await assertDoor("The console needs a link", bare)
    assert.deepEqual(nobody.takeComplaints(), [])
    const statuses = await bare.evaluate(`Promise.all(
      ["look", "record", "freeze", "end"].map(async (name) => (await fetch("/" + name, {
        method: "POST", body: '{"reason":"nobody"}', headers: { "content-type": "application/json" },
      })).status))`)
    assert.deepEqual(statuses, [401, 401, 401, 401])
    await other.close()
    await assertUnharmed()
  })

  it("goes on with its session over a restart of the vault, and says meanwhile that it is away", async () => {
    const vault = await childRunning(site.daemon.pid, "vault/main")
    // A supervisor that stands still doesn't bring it back before the page has seen it.
    process.kill(site.daemon.pid, "SIGSTOP")
    try {
      process.kill(vault.pid, "SIGKILL")
      await standsAs("Vault away")
      const notice = page.getByRole("alert").filter({ hasText: "The vault is away." })
      assert.match(await notice.innerText(), /Nobody answers on .*admin\.sock/)
    } finally {
      process.kill(site.daemon.pid, "SIGCONT")
    }
    await standsAs("Signing")
    watched.takeComplaints().forEach((each) => assert.equal(each, saysAway))
    await assertUnharmed()
  })

  it("ends its session when it is told to, and says how to get back", async () => {
    keepOutput("the console's page", await page.content())
    await button("End session").click()
    await assertDoor("This session has ended")
    assert.deepEqual(await context.cookies(), [])
    assert.equal(await page.evaluate("sessionStorage.length"), 0)
    assertCalm()
    await page.reload()
    await assertDoor("The console needs a link")
    await assertNoSession(halves)
  })
})
