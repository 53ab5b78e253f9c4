import assert from "node:assert/strict"
import { once } from "node:events"
import { existsSync, readdirSync, readlinkSync, statSync } from "node:fs"
import { chmod, copyFile, mkdir, rm, symlink, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { afterEach, beforeEach, describe, it } from "node:test"

import { bot, limitOrder } from "../support/bot.ts"
import { makeInstallation, type TemporaryInstallation } from "../support/countersign.ts"
import { needs } from "../support/needs.ts"
import { childRunning, killAllNaming, runningProcess, until } from "../support/process-tree.ts"
import { needsSecretService } from "../support/secret-service.ts"
import { addClient, makeTradingKeys, tradingPolicy, writePolicy } from "../support/trading-keys.ts"
import {
  assertRefused,
  filesOfKeyrings,
  keyringOf,
  keyringsIn,
  makeUnitPlace,
  newPassword,
  provision,
  spawnIn,
  startServing,
  writePassword,
  type UnitPlace,
} from "../support/unit-place.ts"

const servers = ["dbus-daemon", "gnome-keyring-daemon"]

function needsTools(): { readonly skip?: string } {
  const [missing] = [needsSecretService(), needs("setpriv", "apt-get install util-linux")].filter(
    ({ skip }) => skip !== undefined,
  )
  return missing ?? {}
}

/** Directories of a unit, for one test. */
function withPlace(): () => UnitPlace {
  let place: UnitPlace | undefined
  beforeEach(async () => {
    place = await makeUnitPlace()
  })
  afterEach(async () => {
    await place?.remove()
  })
  return () => place!
}

describe("the daemon behind run.sh", { ...needsTools(), timeout: 120_000 }, () => {
  let installation: TemporaryInstallation
  let place: UnitPlace
  beforeEach(async () => {
    installation = await makeInstallation(["--venue", "sandbox", "--backend", "keychain"])
    place = await makeUnitPlace(installation.dir)
  })
  afterEach(async () => {
    await killAllNaming(installation.dir)
    await installation.remove()
    await place.remove()
  })

  it("signs with keys that only its own keyring holds, over a restart", async () => {
    const { dir } = installation
    await writePolicy(dir, tradingPolicy)
    await provision(place)
    const first = await startServing(place)
    const { agent } = await makeTradingKeys(dir)
    const token = await addClient(dir, "bot")
    const orderOf = (url: string) => bot(url, token).post("/sign/v1/trade/orders", limitOrder())
    assert.equal((await orderOf(first.url)).status, 200)
    assert.equal(await first.stop(), 0)

    const second = await startServing(place)
    const answer = await orderOf(second.url)
    assert.equal(answer.status, 200, answer.text)
    assert.match(answer.text, new RegExp(agent.address))
    assert.equal(await second.stop(), 0)
    assert.deepEqual(keyringsIn(place), ["login.keyring"])
  })

  it("takes bus and keyring with it when it ends, and when it is killed", async () => {
    await provision(place)
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      const serving = await startServing(place)
      const beside = await Promise.all(servers.map((name) => childRunning(serving.pid, name)))
      await serving.stop(signal)
      for (const { pid, commandLine } of beside) {
        const isGone = () => (runningProcess(pid) === undefined ? true : undefined)
        await until(isGone, `${commandLine} has ended`)
      }
    }
  })
})

describe("run.sh", { ...needsTools(), timeout: 120_000 }, () => {
  const unit = withPlace()

  it("hands bus and keyring nothing of the unit: no credential, no socket to listen on or to notify by", async () => {
    const place = unit()
    await provision(place)
    const script = "echo ready; read -r line"
    const given = { NOTIFY_SOCKET: "/run/none", LISTEN_FDS: "1" }
    const child = spawnIn(place, ["run.sh", "sh", "-c", script], given)
    await once(child.stdout, "readable")
    const handed = readlinkSync(`/proc/${child.pid}/fd/3`)
    for (const name of servers) {
      const { pid, environment } = await childRunning(child.pid ?? 0, name)
      assert.doesNotMatch(environment, /CREDENTIALS_DIRECTORY|NOTIFY_SOCKET|LISTEN_FDS/)
      assert.ok(!descriptorsOf(pid).includes(handed), name)
    }
    child.stdin.end("\n")
    assert.deepEqual(await once(child, "exit"), [0, null])
  })

  it("becomes the command, whose pid and exit code are its own", async () => {
    await provision(unit())
    const child = spawnIn(unit(), ["run.sh", "sh", "-c", "echo $$; exit 7"])
    const [stdout, ended] = await Promise.all([text(child.stdout), once(child, "exit")])
    assert.equal(stdout, `${child.pid}\n`)
    assert.deepEqual(ended, [7, null])
  })

  const refusals: Readonly<
    Record<
      string,
      { readonly cause: (place: UnitPlace) => Promise<unknown>; readonly says: RegExp }
    >
  > = {
    "a wrong password": {
      cause: (place) => writePassword(place, newPassword()),
      says: /the password in the credential countersign-keyring doesn't open .*login\.keyring; /,
    },
    "no keyring": {
      cause: (place) => rm(join(place.state, "keyrings"), { recursive: true }),
      says: /there is no keyring at .*login\.keyring, and a start makes none; /,
    },
    "an empty keyring file": {
      cause: (place) => truncate(keyringOf(place), 0),
      says: /login\.keyring is damaged; /,
    },
    "half a keyring file": {
      cause: (place) => truncate(keyringOf(place), 40),
      says: /login\.keyring is damaged; /,
    },
    "a symlink to a keyring": {
      cause: async (place) => {
        await copyFile(keyringOf(place), join(place.state, "elsewhere"))
        await rm(keyringOf(place))
        await symlink("../elsewhere", keyringOf(place))
      },
      says: /there is no keyring at /,
    },
    "a second keyring": {
      cause: (place) => copyFile(keyringOf(place), join(place.state, "keyrings/login_1.keyring")),
      says: /more than one keyring/,
    },
    "no credential": {
      cause: (place) => rm(join(place.credentials, "countersign-keyring")),
      says: /the credential countersign-keyring is missing or empty; .*LoadCredentialEncrypted=/,
    },
    "an empty credential": {
      cause: (place) => writePassword(place, ""),
      says: /the credential countersign-keyring is missing or empty; /,
    },
  }
  for (const [trouble, { cause, says }] of Object.entries(refusals)) {
    it(`refuses ${trouble}, and makes no keyring`, async () => {
      const place = unit()
      await provision(place)
      await cause(place)
      const before = filesOfKeyrings(place)
      await assertRefused(place, { script: ["run.sh", "true"], says })
      assert.deepEqual(filesOfKeyrings(place), before)
    })
  }

  for (const variable of ["STATE_DIRECTORY", "RUNTIME_DIRECTORY", "CREDENTIALS_DIRECTORY"]) {
    it(`says which line the unit needs without ${variable}`, async () => {
      const line = variable === "CREDENTIALS_DIRECTORY" ? "LoadCredentialEncrypted=" : "Directory="
      for (const script of [["run.sh", "true"], ["provision.sh"]]) {
        const says = new RegExp(`the unit needs .*${line}`)
        await assertRefused(unit(), { script, says }, { [variable]: "" })
      }
      assert.deepEqual(keyringsIn(unit()), [])
    })
  }

  it("says what to run without a command", async () => {
    await assertRefused(unit(), { script: ["run.sh"], says: /give a command/ })
  })

  for (const missing of ["dbus-daemon", "gnome-keyring-daemon", "busctl", "setpriv", "timeout"]) {
    it(`says what to install without ${missing}`, async () => {
      const PATH = await pathOfTools(unit(), { [missing]: undefined })
      for (const script of [["run.sh", "true"], ["provision.sh"]]) {
        const says = new RegExp(`${missing} isn't installed; run: apt-get install `)
        await assertRefused(unit(), { script, says }, { PATH })
      }
    })
  }

  const broken: Readonly<Record<string, readonly [program: string, script: string, says: RegExp]>> =
    {
      "never answers": ["gnome-keyring-daemon", "exec sleep 300", /doesn't answer on its bus/],
      "ends at once": ["gnome-keyring-daemon", "exit 1", /doesn't answer on its bus/],
      "listens nowhere": ["dbus-daemon", "exec sleep 300", /dbus-daemon doesn't listen at /],
      "can't start": ["dbus-daemon", "exit 1", /dbus-daemon doesn't listen at /],
    }
  for (const [how, [program, script, says]] of Object.entries(broken)) {
    it(`is given up in time when ${program} ${how}`, async () => {
      await provision(unit())
      const PATH = await pathOfTools(unit(), { [program]: `#!/bin/sh\n${script}\n` })
      await assertRefused(unit(), { script: ["run.sh", "true"], says, exitCode: 75 }, { PATH })
    })
  }
})

describe("provision.sh", { ...needsTools(), timeout: 120_000 }, () => {
  const unit = withPlace()

  it("makes a keyring that nobody else reads, and says where", async () => {
    assert.match(await provision(unit()), /^Made .*\/keyrings\/login\.keyring\.\n$/)
    assert.equal(statSync(keyringOf(unit())).mode & 0o777, 0o600)
    assert.equal(statSync(join(unit().state, "keyrings")).mode & 0o777, 0o700)
  })

  it("leaves a keyring that is there alone, whatever the password", async () => {
    await provision(unit())
    const before = filesOfKeyrings(unit())
    await assertRefused(unit(), {
      script: ["provision.sh"],
      says: /there is a keyring in .* already/,
    })
    await writePassword(unit(), newPassword())
    await assertRefused(unit(), {
      script: ["provision.sh"],
      says: /there is a keyring in .* already/,
    })
    assert.deepEqual(filesOfKeyrings(unit()), before)
  })

  const passwords: Readonly<Record<string, readonly [password: string, isTaken: boolean]>> = {
    "of 31 bytes": ["k".repeat(31), false],
    "of 32 bytes": ["k".repeat(32), true],
    "that begins with a zero byte": [`\0${"k".repeat(40)}`, false],
    "with a zero byte after 40 others": [`${"k".repeat(40)}\0`, false],
  }
  for (const [what, [password, isTaken]] of Object.entries(passwords)) {
    it(`${isTaken ? "takes" : "refuses"} a password ${what}`, async () => {
      await writePassword(unit(), password)
      const says = /must be random text of 32 bytes or more/
      if (isTaken) await provision(unit())
      else await assertRefused(unit(), { script: ["provision.sh"], says })
      assert.deepEqual(keyringsIn(unit()), isTaken ? ["login.keyring"] : [])
    })
  }
})

const tools = [
  ...["sh", "dirname", "id", "rm", "mkdir", "find", "sleep", "tr", "wc", "env", "setpriv"],
  ...["timeout", "busctl", "dbus-daemon", "gnome-keyring-daemon"],
]

/** A PATH with what the scripts use, but for some: a script in their place, or nothing. */
async function pathOfTools(
  { home }: UnitPlace,
  replaced: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const directory = join(home, "bin")
  await mkdir(directory)
  const found = (process.env["PATH"] ?? "").split(":")
  for (const tool of tools) {
    if (tool in replaced) continue
    const where = found.find((path) => existsSync(join(path, tool))) ?? "/usr/bin"
    await symlink(join(where, tool), join(directory, tool))
  }
  for (const [tool, script] of Object.entries(replaced)) {
    if (script === undefined) continue
    await writeFile(join(directory, tool), script)
    await chmod(join(directory, tool), 0o755)
  }
  return directory
}

function descriptorsOf(pid: number): readonly string[] {
  const directory = `/proc/${pid}/fd`
  return readdirSync(directory).map((name) => readlinkSync(join(directory, name)))
}
