import assert from "node:assert/strict"
import { before, describe, it } from "node:test"

import type { KeyView } from "../../src/contract/bot-views.ts"
import { fencedBlocks, readRepositoryFile, sectionOf } from "../support/markdown.ts"
import {
  inContainer,
  needsSystemd,
  sectionsIn,
  underSystemd,
  unitsInPlace,
} from "../support/systemd.ts"

const page = readRepositoryFile("docs/headless.md")
const linesUnder = (title: string): readonly string[] => fencedBlocks(sectionOf(page, title), "sh")
const [install = "", start = "", ...otherLines] = linesUnder("A keystore under a credential")
const [keys = "", ...otherCommands] = linesUnder("Keys and clients")

/** The lines of docs/headless.md in their order, then what else it promises. */
const script = `
echo "== install"
${unitsInPlace()}
${inContainer(install)}
test ! -e /run/countersign-key

echo "== start"
${start}
until_so are_serving
for each in countersign-vault countersign-gate; do
  stat --format %U "/proc/$(systemctl show --property MainPID --value "$each")"
done

echo "== keys"
(
${keys}
) > /run/printed
token=$(grep '^cs_' /run/printed)
allow_orders
echo "== listed"
countersign keys list $dirs --json
echo "== order"
order "$token"

echo "== leaks"
(umask 077; systemd-creds decrypt --name=countersign-key /etc/countersign/countersign-key.cred /run/text)
journalctl --no-pager | grep --fixed-strings --file=/run/text || :
cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | grep --text --fixed-strings --file=/run/text || :

echo "== restart"
timeout 60 systemctl restart countersign.target
until_so are_serving
order "$token"

echo "== export"
stop_all
systemctl show --property ExecMainStatus "$unit"
chown countersign-vault /run/text
install -d -m 700 -o countersign-vault /run/exported
head -c 12 /dev/urandom | base64 > /run/password
chown countersign-vault /run/password
chmod 600 /run/password
countersign keys export $dirs --name mm --to /run/exported/mm.json --password-file /run/password --passphrase-file /run/text --json

head -c 32 /dev/urandom | base64 > /run/other
systemd-creds encrypt --with-key=host --name=countersign-key /run/other /etc/countersign/countersign-key.cred
fail_to_start wrong
systemd-creds encrypt --with-key=host --name=other /run/other /etc/countersign/countersign-key.cred
fail_to_start misnamed
sed -i /^LoadCredentialEncrypted=/d "/etc/systemd/system/$unit"
systemctl daemon-reload
fail_to_start none

echo "== tpm2"
systemd-creds has-tpm2 || :
`

describe("a keystore under a systemd credential", { ...needsSystemd(), timeout: 900_000 }, () => {
  let said: ReadonlyMap<string, string>
  before(async () => {
    assert.deepEqual([otherLines, otherCommands], [[], []])
    const { code, stdout, stderr } = await underSystemd(script)
    assert.equal(code, 0, `${stdout}\n${stderr}`)
    said = sectionsIn(stdout)
  })

  it("serves as two users that aren't root, by the lines of docs/headless.md", () => {
    assert.equal(said.get("start"), "countersign-vault\ncountersign-gate")
  })

  for (const title of ["order", "restart"]) {
    it(`signs ${title === "order" ? "an order" : "another after a restart, unattended"}`, () => {
      const listed = JSON.parse(said.get("listed") ?? "") as readonly KeyView[]
      const { status, json } = JSON.parse(said.get(title) ?? "") as {
        readonly status: number
        readonly json: { readonly signer_address?: string; readonly signature?: object }
      }
      assert.equal(status, 200, JSON.stringify(json))
      assert.equal(json.signer_address, listed.find(({ name }) => name === "mm")?.address)
      assert.deepEqual(Object.keys(json.signature ?? {}), ["r", "s", "v"])
    })
  }

  it("shows the credential's text neither in the journal nor on a command line nor in an environment", () => {
    assert.equal(said.get("leaks"), "")
  })

  it("exports a key by a copy of the text, once the daemon is stopped", () => {
    assert.match(said.get("export") ?? "", /^ExecMainStatus=0\n/)
    assert.match(said.get("export") ?? "", /mm/)
  })

  const failures: Readonly<Record<string, readonly [why: string, says: RegExp]>> = {
    wrong: ["holds other text", /^ExecMainStatus=78\n[^]*The passphrase is wrong/],
    misnamed: ["was encrypted under another name", /^ExecMainStatus=243\n/],
    none: ["isn't given", /^ExecMainStatus=78\n[^]*LoadCredentialEncrypted=countersign-key:/],
  }
  for (const [title, [why, says]] of Object.entries(failures)) {
    it(`fails to start with a sentence when the credential ${why}`, () => {
      assert.match(said.get(title) ?? "", says)
      assert.doesNotMatch(said.get(title) ?? "", /listening on|^ {4}at /m)
    })
  }

  it("can ask whether there is a TPM2", () => {
    assert.match(said.get("tpm2") ?? "", /^(?:yes|no|partial)$/m)
  })
})
