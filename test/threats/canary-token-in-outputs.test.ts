import assert from "node:assert/strict"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"

import {
  adminParams,
  botParams,
  type AdminResults,
  type BotResults,
} from "../../src/link/calls/methods.ts"
import { serveLink } from "../../src/link/server.ts"
import { generateSecret } from "../../src/vault/keyring/generate-secret.ts"
import { scanFor } from "../support/canaries-scan.ts"
import { keyParams } from "../support/key-pair.ts"
import { connectRaw } from "../support/link-peer.ts"
import {
  approval,
  approvePath,
  callOf,
  checkOf,
  limitOrder,
  openTestVault,
} from "../support/open-test-vault.ts"

/** Everything under a directory that is a file. */
function filesUnder(directory: string): readonly Buffer[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path))
}

describe("tokens and keys", () => {
  it("are in no answer, no log and no file, whatever is asked and however it fails", async (t) => {
    const test = await openTestVault()
    t.after(() => test.remove())
    const secrets = [generateSecret(), generateSecret(), generateSecret()] as const
    const [wallet, agent, unused] = secrets
    const logged: string[] = []
    const onError = (error: unknown): void => {
      logged.push(String(error), error instanceof Error ? (error.stack ?? "") : "")
    }
    const outputs: string[] = []
    const speakTo = async (path: string) => {
      const peer = await connectRaw(path)
      t.after(() => peer.socket.destroy())
      let id = 0
      return async (method: string, params: unknown, secret?: Uint8Array): Promise<string> => {
        const secretBytes = secret?.length
        peer.send(`${JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params, secretBytes })}\n`)
        if (secret !== undefined) peer.send(Buffer.from(secret))
        const line = (await peer.line()) ?? ""
        outputs.push(line)
        return line
      }
    }

    const paths = ["admin.sock", "bot.sock"].map((name) => join(test.installation.stateDir, name))
    const [adminPath = "", botPath = ""] = paths
    const adminServer = await serveLink<typeof adminParams, AdminResults>({
      ...{ path: adminPath, params: adminParams, methods: test.admin, secret: "s", onError },
    })
    t.after(() => adminServer.close())
    const botServer = await serveLink<typeof botParams, BotResults>({
      ...{ path: botPath, params: botParams, methods: test.bots, onError },
    })
    t.after(() => botServer.close())

    const admin = await speakTo(adminPath)
    await admin("hello", { secret: "s" })
    const addKey = (key: object, secret: Uint8Array) =>
      admin("addKey", { ...key, publicKey: keyParams(secret).publicKey }, secret)
    await addKey({ name: "main", role: "wallet" }, wallet)
    await addKey({ name: "mm", role: "agent", wallet: "main" }, agent)
    await addKey({ name: "mm", role: "agent" }, unused)
    await addKey({ name: "again", role: "agent" }, agent)
    await addKey({ name: "../x", role: "agent" }, unused)
    await addKey({ name: "short", role: "agent" }, unused.subarray(1))
    await addKey({ name: "twice", role: "agent" }, Buffer.concat([unused, unused]))
    await addKey({ name: "lost", role: "agent", wallet: "nobody" }, unused)
    const added = await admin("addClient", {
      ...{ name: "bot", keys: ["mm", "main"], rights: [], allowTypeB: true },
    })
    outputs.pop() // the one answer that tells the token
    const token = (JSON.parse(added) as { result: { token: string } }).result.token
    const guessed = `cs_${"canary".repeat(7)}c`

    const bots = await speakTo(botPath)
    const { address } = test.vault.active().keys.get("mm")!
    const main = test.vault.active().keys.get("main")!.address
    for (const asking of [token, guessed]) {
      for (const call of [
        callOf(asking, limitOrder()),
        callOf(asking, limitOrder({ quantity: "x" })),
        callOf(asking, approval(address, main), { path: approvePath, key: "main" }),
        callOf(asking, "{"),
        callOf(asking, limitOrder(), { path: "/v1/none" }),
        callOf(asking, limitOrder(), { key: "none", expiresIn: "never" }),
      ]) {
        await bots("sign", call)
        await bots("check", checkOf(call))
        await bots("sign", { ...call, more: asking })
      }
      await bots("whoami", { token: asking })
      await bots("record", { token: asking, id: "rec_1" })
      await bots("nonsense", { token: asking })
    }
    await admin("status", {})
    await admin("listClients", {})
    await admin("listKeys", {})
    await test.vault.ledger.close()
    await bots("sign", callOf(token, limitOrder()))
    assert.ok(logged.length > 0, "a failure was logged")

    const canaries = Object.entries({ token, guessed, wallet, agent, unused })
    const scan = scanFor(canaries.map(([name, secret]) => ({ name, secret: Buffer.from(secret) })))
    const haystacks = [...outputs, ...logged, ...filesUnder(test.installation.stateDir)]
    for (const haystack of haystacks) assert.deepEqual(scan(Buffer.from(haystack)), [])
  })
})
