import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"

import { bot, limitOrder } from "../support/bot.ts"
import { countersign, countersignJson, makeInstallation, serve } from "../support/countersign.ts"
import {
  needsDesktopKeychains,
  startKeePassXc,
  startKWallet,
} from "../support/desktop-keychains.ts"
import { killAllNaming } from "../support/process-tree.ts"
import { addClient, makeTradingKeys, tradingPolicy, writePolicy } from "../support/trading-keys.ts"

type Finding = { readonly check: string; readonly state: string; readonly message: string }

const driverFile = import.meta.resolve("../../src/vault/keyring/keychain/native-driver.ts")

/** KWallet spoils one session in a hundred. At once no more than a bus takes of a user. */
const sessions = { atOnce: 200, times: 3 }

const desktops = { KWallet: startKWallet, KeePassXC: startKeePassXc }

// docs/compatibility.md has this as a table.
for (const [name, start] of Object.entries(desktops)) {
  describe(`keys in ${name}`, needsDesktopKeychains(), () => {
    it("are made, imported, used after a new login, looked at and removed", async (t) => {
      const keychain = await start()
      t.after(() => keychain.stop())
      if (name === "KWallet") await keychain.loginFirst()
      await keychain.login()
      const installation = await makeInstallation(["--venue", "sandbox", "--backend", "keychain"])
      const { dir } = installation
      t.after(async () => {
        await killAllNaming(dir)
        await installation.remove()
      })
      await writePolicy(dir, tradingPolicy)
      const { agent } = await makeTradingKeys(dir)
      const given = ["keys", "import", "--dir", dir, "--name", "given", "--role", "wallet"]
      await countersignJson(given, randomBytes(32).toString("hex"))
      const token = await addClient(dir, "bot")

      await keychain.login()
      const listed = await countersignJson<readonly { name: string }[]>([
        "keys",
        "list",
        "--dir",
        dir,
      ])
      assert.deepEqual(listed.map((key) => key.name).sort(), ["given", "main", "mm"])
      const daemon = await serve(dir)
      const answer = await bot(daemon.url, token).post("/sign/v1/trade/orders", limitOrder())
      assert.equal(answer.status, 200, answer.text)
      assert.match(answer.text, new RegExp(agent.address))
      await daemon.stop()
      takeOutAgainAndAgain(dir)
      assert.match(await foundIn(dir), /^ok .*gives each key that rests in it: 3/)

      const removed = await countersign(["keys", "remove", "given", "--dir", dir, "--yes"])
      assert.equal(removed.code, 0, removed.stderr)
      assert.match(removed.stdout, /bin and history/)
      assert.match(await foundIn(dir), /rests in it: 2/)

      twin(dir)
      assert.match(await foundIn(dir), /^fail .*two items or more of the service .* mm;/)

      await keychain.login(false)
      const refused = await countersign(["init", "--dir", `${dir}-other`, "--backend", "keychain"])
      assert.equal(refused.code, 4, refused.stderr)
      assert.match(refused.stderr, /locked|no default collection/)
    })
  })
}

async function foundIn(dir: string): Promise<string> {
  const { stdout } = await countersign(["doctor", "--dir", dir, "--json"])
  const { findings } = JSON.parse(stdout) as { readonly findings: readonly Finding[] }
  const { state, message } = findings.find(({ check }) => check === "keychain")!
  return `${state} ${message}`
}

/** Takes the key `mm` out in a new session each time. */
function takeOutAgainAndAgain(dir: string): void {
  const { service } = registered(dir)
  const script = `
    import { nativeDriver } from ${JSON.stringify(driverFile)}
    for (let left = ${sessions.atOnce}; left > 0; left -= 1) {
      const secret = await (await nativeDriver(${JSON.stringify(service)})).getPassword("mm")
      if (secret?.length !== 32) throw new Error("it came out as something else")
    }`
  for (let left = sessions.times; left > 0; left -= 1)
    execFileSync(process.execPath, ["--input-type=module-typescript", "-e", script], {
      stdio: "pipe",
    })
}

function registered(dir: string): { readonly service: string; readonly account: string } {
  const text = readFileSync(join(dir, "keychain", "mm.json"), "utf8")
  return JSON.parse(text) as { service: string; account: string }
}

/** Another item that the same look-up finds. */
function twin(dir: string): void {
  const { service, account } = registered(dir)
  const attributes = ["service", service, "username", account, "beside", "it"]
  const store = () =>
    execFileSync("secret-tool", ["store", "--label", "twin", ...attributes], {
      input: "00",
      timeout: 10_000,
    })
  try {
    store()
  } catch {
    store() // the session may have been one of those that KWallet spoils
  }
}
