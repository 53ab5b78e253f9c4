import assert from "node:assert/strict"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import { openLedger } from "../../src/vault/ledger/open-ledger.ts"
import { systemClock } from "../../src/vault/process/clock.ts"
import { bot, limitOrder, type Answer } from "../support/bot.ts"
import {
  makeInstallation,
  serve,
  type Served,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import {
  childRunning,
  processesBelow,
  killAllNaming,
  processRunning,
  runningProcess,
  until,
  untilNoneNames,
} from "../support/process-tree.ts"
import { readLedger } from "../support/read-ledger.ts"
import { addClient, makeTradingKeys, tradingPolicy, writePolicy } from "../support/trading-keys.ts"

const path = "/sign/v1/trade/orders"
const connections = 8

describe("countersign serve", { timeout: 180_000 }, () => {
  let installation: TemporaryInstallation
  let token: string
  let lastNonce = 0
  before(async () => {
    installation = await makeInstallation()
    await writePolicy(installation.dir, tradingPolicy)
    const daemon = await serve(installation.dir)
    await makeTradingKeys(installation.dir)
    token = await addClient(installation.dir, "bot")
    await daemon.stop()
  })
  after(async () => {
    await killAllNaming(installation.dir)
    await installation.remove()
  })

  /** Runs the daemon for one test, and ends it whatever becomes of the test. */
  async function withDaemon(use: (daemon: Served) => Promise<void>): Promise<void> {
    const daemon = await serve(installation.dir)
    try {
      await use(daemon)
    } finally {
      await daemon.stop("SIGKILL")
      await untilNoneNames(installation.dir)
    }
  }

  async function assertSignsHigher(daemon: Served): Promise<void> {
    const answer = await bot(daemon.url, token).post(path, limitOrder())
    assert.equal(answer.status, 200, answer.text)
    assert.ok(nonceOf(answer) > lastNonce, `${nonceOf(answer)} follows ${lastNonce}`)
    lastNonce = nonceOf(answer)
  }

  /** Asks on several connections at once, each as fast as it is answered, until nobody answers. */
  async function askUntilRefused(
    daemon: Served,
    onAnswer: (count: number) => void,
  ): Promise<readonly Answer[]> {
    const answers: Answer[] = []
    const client = bot(daemon.url, token)
    async function ask(): Promise<void> {
      for (;;) {
        const answer = await client.post(path, limitOrder()).catch(() => undefined)
        if (answer === undefined) return
        answers.push(answer)
        onAnswer(answers.length)
      }
    }
    await Promise.all(Array.from({ length: connections }, ask))
    lastNonce = Math.max(lastNonce, ...signedOf(answers).map(nonceOf))
    return answers
  }

  const ledgerFile = (): string => join(installation.dir, "ledger.db")

  function openIfFree() {
    return openLedger({ file: ledgerFile(), clock: systemClock }).catch(() => undefined)
  }

  function recordedNonces(): readonly number[] {
    return readLedger(ledgerFile())
      .filter(({ kind }) => kind === "request")
      .map(({ row }) => row["nonce"] as number)
  }

  it("signs, ends with 0 on SIGINT, and goes on above its last nonce when started at once", async () => {
    await withDaemon(async (daemon) => {
      await assertSignsHigher(daemon)
      assert.equal(await daemon.stop("SIGINT"), 0)
      assert.deepEqual(processesBelow(daemon.pid), [])
    })
  })

  it("answers at SIGTERM what is at work, and records nothing that it doesn't answer", async () => {
    const earlier = new Set(recordedNonces())
    await withDaemon(async (daemon) => {
      await assertSignsHigher(daemon)
      earlier.add(lastNonce)
      const answers = await askUntilRefused(daemon, (count) => {
        if (count === 5 * connections) process.kill(daemon.pid, "SIGTERM")
      })
      assert.equal(await daemon.ended, 0)
      assert.deepEqual(processesBelow(daemon.pid), [])
      for (const { status, text } of answers) assert.equal(status, 200, text)
      const recorded = recordedNonces().filter((nonce) => !earlier.has(nonce))
      assert.deepEqual(new Set(recorded), new Set(answers.map(nonceOf)))
    })
  })

  it("answers 503 while the vault is gone, and brings it back by itself", async () => {
    await withDaemon(async (daemon) => {
      await assertSignsHigher(daemon)
      const client = bot(daemon.url, token)
      const vault = await childRunning(daemon.pid, "vault/main")
      // A supervisor that stands still can't be quicker than the question.
      process.kill(daemon.pid, "SIGSTOP")
      process.kill(vault.pid, "SIGKILL")
      const refused = await client.post(path, limitOrder())
      assert.deepEqual([refused.status, refused.json.code], [503, "vault_unavailable"])
      assert.equal(refused.headers.get("Retry-After"), "1")
      assert.equal((await client.get("/readyz")).status, 503)
      assert.equal((await client.get("/healthz")).status, 200)

      process.kill(daemon.pid, "SIGCONT")
      await untilReady(daemon)
      await assertSignsHigher(daemon)
      assert.equal(await daemon.stop(), 0)
    })
  })

  it("waits with the vault's return while a command has the ledger open", async () => {
    await withDaemon(async (daemon) => {
      const vault = await childRunning(daemon.pid, "vault/main")
      process.kill(daemon.pid, "SIGSTOP")
      process.kill(vault.pid, "SIGKILL")
      const ledger = await until(openIfFree, "the killed vault's lock is free")
      process.kill(daemon.pid, "SIGCONT")
      const { pid } = await childRunning(daemon.pid, "vault/main")
      await until(() => (runningProcess(pid) === undefined ? true : undefined), "it gave up")
      await ledger.close()
      await untilReady(daemon)
      await assertSignsHigher(daemon)
    })
  })

  it("has recorded all that it answered when the vault is killed under load", async () => {
    await withDaemon(async (daemon) => {
      const vault = await childRunning(daemon.pid, "vault/main")
      const answers = await askUntilRefused(daemon, (count) => {
        if (count === 5 * connections) process.kill(vault.pid, "SIGKILL")
        if (count === 8 * connections) process.kill(daemon.pid, "SIGTERM")
      })
      assert.equal(await daemon.ended, 0)
      for (const { status, text } of answers)
        assert.match(`${status} ${text}`, /^200 |^503 .*vault_unavailable/)
      const recorded = new Set(recordedNonces())
      for (const answer of signedOf(answers)) assert.ok(recorded.has(nonceOf(answer)))
    })
  })

  for (const name of ["vault", "gate"]) {
    it(`brings the ${name} back also where it is killed while it starts`, async () => {
      await withDaemon(async (daemon) => {
        for (let time = 0; time < 3; time += 1) {
          const { pid } = await childRunning(daemon.pid, `${name}/main`)
          process.kill(pid, "SIGKILL")
          await until(() => (runningProcess(pid) === undefined ? true : undefined), "it ended")
        }
        await untilReady(daemon)
        await assertSignsHigher(daemon)
        assert.equal(await daemon.stop(), 0)
      })
    })
  }

  it("brings the gate back on its port", async () => {
    await withDaemon(async (daemon) => {
      const gate = await childRunning(daemon.pid, "gate/main")
      process.kill(gate.pid, "SIGKILL")
      await until(() => (runningProcess(gate.pid) === undefined ? true : undefined), "it ended")
      await untilReady(daemon)
      await assertSignsHigher(daemon)
      assert.equal(await daemon.stop(), 0)
    })
  })

  it("starts again over what a killed daemon left", async () => {
    await withDaemon(async (daemon) => {
      await assertSignsHigher(daemon)
      const all = processesBelow(daemon.pid)
      assert.equal(all.length, 2)
      for (const pid of [daemon.pid, ...all.map((each) => each.pid)]) process.kill(pid, "SIGKILL")
      await daemon.ended
    })
    await withDaemon(assertSignsHigher)
  })

  it("leaves no gate and no vault behind when it is killed, ready or not", async () => {
    await withDaemon(async (daemon) => {
      await daemon.stop("SIGKILL")
      await untilNoneNames(installation.dir)
    })
    for (const part of ["gate/main", "vault/main"]) {
      const early = assert.rejects(serve(installation.dir), /ended with null/)
      const child = await processRunning(installation.dir, part)
      process.kill(child.parent, "SIGKILL")
      await early
      await untilNoneNames(installation.dir)
    }
    await withDaemon(assertSignsHigher)
  })
})

function signedOf(answers: readonly Answer[]): readonly Answer[] {
  return answers.filter(({ status }) => status === 200)
}

function nonceOf({ json }: Answer): number {
  return (json as unknown as { nonce: number }).nonce
}

async function untilReady({ url }: Served): Promise<void> {
  await until(async () => {
    const response = await fetch(`${url}/readyz`).catch(() => undefined)
    await response?.arrayBuffer()
    return response?.status === 200 ? true : undefined
  }, "the daemon is ready")
}
