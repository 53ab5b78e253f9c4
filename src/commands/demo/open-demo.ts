import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { sandboxProfile } from "../../sandbox/profile.ts"
import { startSandbox } from "../../sandbox/start-sandbox.ts"
import type { Installation } from "../../vault/config/installation.ts"
import type { Terminal } from "../cli/terminal.ts"
import { startDaemon } from "../daemon/start-daemon.ts"
import { createInstallation } from "../init/create-installation.ts"
import { configText } from "../init/init-texts.ts"
import { withAdmin } from "../installation/with-vault.ts"
import { generateKey } from "../keys/add-key.ts"
import type { Stage } from "./stage.ts"
import { demoPolicy } from "./texts.ts"

/** Makes a temporary installation, starts sandbox and daemon, and adds two keys and a bot. */
export async function openDemo(terminal: Terminal): Promise<Stage> {
  const directory = await mkdtemp(join(tmpdir(), "countersign-demo-"))
  const dir = join(directory, "d")
  const installation = { configDir: dir, stateDir: dir }
  const venue = await startSandbox({ port: 0 })
  const removeAll = async (): Promise<void> => {
    await venue.close()
    await rm(directory, { recursive: true, force: true })
  }
  try {
    await createInstallation({
      installation,
      configText: `${configText({ backend: "memory" })}signer_dir: ${JSON.stringify(join(directory, "signers"))}\nledger: {min_free: 0}\n`,
      venueText: sandboxProfile({ url: venue.url, asOf: new Date() }),
      policyText: demoPolicy,
      keyStore: { kind: "nothing" },
      passphraseFile: undefined,
    })
    const daemon = await startDaemon({ installation, port: 0, terminal })
    const close = async (): Promise<void> => {
      await daemon.stop("person")
      await removeAll()
    }
    return {
      ...(await addBot(installation)),
      daemonUrl: daemon.url,
      sandboxUrl: venue.url,
      broken: daemon.broken,
      close,
    }
  } catch (error) {
    await removeAll()
    throw error
  }
}

function addBot(installation: Installation) {
  return withAdmin(installation, async (admin) => {
    const wallet = await generateKey(admin, { name: "main", role: "wallet" })
    const agent = await generateKey(admin, { name: "mm", role: "agent", wallet: "main" })
    const bot = await admin.call("addClient", {
      name: "bot",
      keys: ["mm", "main"],
      rights: [],
      allowTypeB: true,
    })
    return { token: bot.token, walletAddress: wallet.address, agentAddress: agent.address }
  })
}
