import assert from "node:assert/strict"
import { appendFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterEach, beforeEach, describe, it } from "node:test"

import { pathsOf, type Installation } from "../../../../src/vault/config/installation.ts"
import {
  forgetStop,
  keepSet,
  keepStop,
  takeFilesOnDisk,
  filesToStart,
  type Starter,
} from "../../../../src/vault/config/kept-set.ts"
import { loadFiles } from "../../../../src/vault/config/load-files.ts"
import { makeTestInstallation, permissivePolicy } from "../../../support/open-test-vault.ts"

describe("the files that a start puts in force", () => {
  let made: Awaited<ReturnType<typeof makeTestInstallation>>
  let installation: Installation
  beforeEach(async () => {
    made = await makeTestInstallation({ policies: [permissivePolicy] })
    installation = made.installation
    await keepSet(await loadFiles(installation), false, installation)
    await writePolicy(`${permissivePolicy}# edited\n`)
  })
  afterEach(() => made.remove())

  const writePolicy = (text: string) =>
    writeFile(join(installation.configDir, "policies/0.yaml"), text, { mode: 0o600 })
  const isEdited = async (starter: Starter): Promise<boolean> => {
    const { files } = await filesToStart(installation, starter)
    return files.texts.some(({ text }) => text.includes("# edited"))
  }

  it("are those on disk where none were kept yet", async () => {
    await rm(pathsOf(installation).inForceFile)
    assert.equal(await isEdited("supervisor"), true)
  })

  it("are those that were in force where nobody asked for the stop", async () => {
    assert.equal(await isEdited("person"), false)
  })

  it("are those that were in force where nobody asked for the start, though somebody asked for the stop", async () => {
    await keepStop(installation)
    assert.equal(await isEdited("supervisor"), false)
    assert.equal(await isEdited("person"), true)
  })

  it("are those that were in force where the machine was started since the stop", async () => {
    await writeFile(pathsOf(installation).stoppedFile, "stopped another-run-of-the-machine\n")
    assert.equal(await isEdited("person"), false)
  })

  it("are those that were in force once a start has begun after the stop", async () => {
    await keepStop(installation)
    await forgetStop(installation)
    await forgetStop(installation)
    assert.equal(await isEdited("person"), false)
  })

  it("stay a set that was rolled back to over a stop, until a person asks for those on disk", async () => {
    const { files } = await filesToStart(installation, "person")
    await keepSet(files, true, installation)
    await keepStop(installation)
    assert.equal(await isEdited("person"), false)
    await takeFilesOnDisk(installation)
    assert.equal(await isEdited("person"), true)
  })

  it("are those that were in force where those on disk are broken", async () => {
    await keepStop(installation)
    await writePolicy("policy: [\n# edited\n")
    assert.equal(await isEdited("person"), false)
  })

  it("are refused where what was kept isn't what was written", async () => {
    const { inForceFile } = pathsOf(installation)
    await keepSet(await loadFiles(installation), false, installation)
    await appendFile(inForceFile, "x")
    await assert.rejects(filesToStart(installation, "person"), { code: "config_invalid" })
    const { policyHash, texts } = await loadFiles(installation)
    await keepSet({ policyHash, texts: texts.slice(1) }, false, installation)
    await assert.rejects(filesToStart(installation, "person"), /in-force\.json.* is damaged/)
  })
})
