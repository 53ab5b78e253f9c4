import assert from "node:assert/strict"
import { existsSync } from "node:fs"
import { describe, it } from "node:test"

import { orderText } from "../support/bot.ts"
import { signedBody, startFakeVault } from "../support/fake-vault.ts"
import { askHttp, assertRefused, jsonHeaders } from "../support/gate.ts"
import { gateService } from "../support/gate-service.ts"
import { needs } from "../support/needs.ts"
import { until } from "../support/process-tree.ts"

const order = {
  method: "POST",
  path: "/sign/v1/trade/orders",
  headers: jsonHeaders,
  body: orderText,
}
const onUnix = { ...order, headers: { ...jsonHeaders, host: "localhost" } }

describe("the gate as a service of systemd", needs("perl", "apt-get install perl"), () => {
  it("serves and is alive while the vault is away, and signs once it is there", async (t) => {
    const service = await gateService(t, { environment: { COUNTERSIGN_SANDBOX: "exec" } })
    service.start()
    const { notify, port, path } = service
    const ready = await notify.until(/^READY=1/)
    const status = `serving 127.0.0.1:${port} and a Unix socket; waiting for the vault`
    assert.equal(ready, `READY=1\nSTATUS=${status}`)
    assert.equal(notify.messages()[0], "STATUS=waiting for the vault")
    for (const [to, ask] of [
      [port, order],
      [path, onUnix],
    ] as const) {
      assertRefused(await askHttp(to, ask), 503, "vault_unavailable")
    }
    await notify.until(/^WATCHDOG=1$/, notify.messages().length)

    let allowedHosts: readonly string[] = []
    const vault = await startFakeVault({ gateSettings: () => ({ upstream: null, allowedHosts }) })
    t.after(() => vault.close())
    service.connectVault(vault.path)
    await notify.until(/^STATUS=serving .*; the vault signs all$/)
    const answers = async (): Promise<true | undefined> =>
      (await askHttp(port, order)).status === 200 ? true : undefined
    await until(answers, "the settings are known")
    assert.equal((await askHttp(path, onUnix)).text, signedBody)

    const asked = { ...order, headers: { ...jsonHeaders, host: `bots.internal:${port}` } }
    assertRefused(await askHttp(port, asked), 421, "misdirected_host")
    allowedHosts = ["bots.internal"]
    const from = notify.messages().length
    await service.kill("SIGHUP")
    await notify.until(/^RELOADING=1\n/, from)
    await notify.until(/^READY=1\nSTATUS=serving .*; the vault signs all$/, from)
    assert.equal((await askHttp(port, asked)).status, 200)

    await service.kill("SIGTERM")
    assert.equal(await service.ended(0), 0)
    await notify.until(/^STOPPING=1$/)
    assert.ok(existsSync(path), "the socket is systemd's")
    assert.equal(service.stderr(), "")
    const log = service.log().map((line) => {
      const { level, event, message } = JSON.parse(line.slice(3)) as Record<string, string>
      return [line.slice(0, 3), level, event, message]
    })
    assert.deepEqual(log.slice(0, 2), [
      [
        "<4>",
        "warn",
        "sandbox_open",
        "The sandbox doesn't deny starting other programs: install the unit as countersign-gate.service has it.",
      ],
      ["<4>", "warn", "waiting_for_vault", undefined],
    ])
    assert.deepEqual(log.at(-1)?.slice(0, 3), ["<6>", "info", "reloaded"])
  })

  it("answers what arrived while it was dead", async (t) => {
    const vault = await startFakeVault()
    t.after(() => vault.close())
    const service = await gateService(t)
    service.connectVault(vault.path)
    service.start()
    await service.notify.until(/^READY=1/)
    assert.equal((await askHttp(service.port, order)).status, 200)
    await service.kill("SIGKILL")
    assert.equal(await service.ended(0), 128 + 9)
    const replies = [askHttp(service.port, order), askHttp(service.path, onUnix)]
    service.start()
    for (const reply of replies) assert.equal((await reply).text, signedBody)
  })

  it("says why it can't start, and that starting it again won't help", async (t) => {
    const service = await gateService(t, { args: ["--token", "x"] })
    service.start()
    assert.equal(await service.ended(0), 78)
    const sentence = "The gate was started with an argument it doesn't know."
    await service.notify.until(new RegExp(`^STATUS=${sentence}$`))
    assert.equal(service.stderr(), "")
    const [line = "", ...more] = service.log()
    assert.deepEqual(more, [])
    assert.match(
      line,
      /^<3>\{"time":"[^"]+","level":"error","event":"start_failed","code":"usage",/,
    )
    assert.ok(line.includes(`"message":"${sentence}"`), line)
  })

  it("says so too when it is told a level of log that there isn't", async (t) => {
    const service = await gateService(t, { environment: { COUNTERSIGN_LOG_LEVEL: "loud" } })
    service.start()
    assert.equal(await service.ended(0), 78)
    const [line = ""] = service.log()
    assert.match(line, /"message":"COUNTERSIGN_LOG_LEVEL must be debug, info, warn or error\."/)
  })
})
