import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { startSandbox } from "../../sandbox/start-sandbox.ts"
import type { Terminal } from "../cli/terminal.ts"
import { startDaemon } from "../daemon/start-daemon.ts"
import { createInstallation, type NewInstallation } from "../init/create-installation.ts"
import { configText } from "../init/init-texts.ts"
import { withAdmin, type Admin } from "../installation/admin.ts"

/** What a demo plays on: sandbox and daemon, as real as any, with keys that live as long as it does. */
export type Stage = {
  /** For files that go with it. */
  readonly directory: string
  readonly daemonUrl: string
  readonly sandboxUrl: string
  readonly broken: Promise<never>
  /** Ends everything and removes the temporary directory. */
  close(): Promise<void>
}

/** The files of an installation whose venue is at a URL, and who is added to it. */
type Cast<Added> = {
  readonly isOpen: boolean
  readonly files: (url: string) => Pick<NewInstallation, "venueText" | "paperText" | "policyText">
  readonly add: (admin: Admin) => Promise<Added>
}

/** Makes a temporary installation, starts sandbox and daemon, and adds keys and a client. */
export async function openStage<Added extends object>(
  { isOpen, files, add }: Cast<Added>,
  terminal: Terminal,
): Promise<Stage & Added> {
  const directory = await mkdtemp(join(tmpdir(), "countersign-demo-"))
  const dir = join(directory, "d")
  const installation = { configDir: dir, stateDir: dir }
  const venue = await startSandbox({ port: 0, isOpen })
  const removeAll = async (): Promise<void> => {
    await venue.close()
    await rm(directory, { recursive: true, force: true })
  }
  try {
    await createInstallation({
      installation,
      configText: `${configText({ backend: "memory" })}signer_dir: ${JSON.stringify(join(directory, "signers"))}\nledger: {min_free: 0}\n`,
      ...files(venue.url),
      keyStore: { kind: "nothing" },
      passphraseFile: undefined,
    })
    const daemon = await startDaemon({ installation, port: 0, terminal })
    const close = async (): Promise<void> => {
      await daemon.stop("person")
      await removeAll()
    }
    return {
      ...(await withAdmin(installation, add)),
      directory,
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
