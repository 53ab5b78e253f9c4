import assert from "node:assert/strict"
import { before, describe, it } from "node:test"

import { fencedBlocks, readRepositoryFile } from "../support/markdown.ts"
import { needsSecretService } from "../support/secret-service.ts"
import {
  inContainer,
  needsSystemd,
  sectionsIn,
  underSystemd,
  unitsInPlace,
} from "../support/systemd.ts"

const servers = ["dbus-daemon", "gnome-keyring-daemon"]

// The first lines install what a container sees of this machine anyway.
const [, ...setUp] = fencedBlocks(readRepositoryFile("systemd/secret-service/README.md"), "sh")
const [makeInstallation = "", makePassword = "", makeKeyring = "", addDropIn = "", ...others] =
  setUp

const script = `
echo "== set up"
${unitsInPlace()}
${inContainer(makeInstallation)}
${inContainer(makePassword)}
${inContainer(makeKeyring)}
${inContainer(addDropIn).replace(/^systemctl restart .*$/m, "")}
fit_units
echo "== verified"
systemd-analyze verify "$unit" 2>&1
timeout 60 systemctl start countersign.target
until_so are_serving

echo "== processes"
main=$(systemctl show --property MainPID --value "$unit")
stat --format %U "/proc/$main"
cat "/sys/fs/cgroup/system.slice/$unit/cgroup.procs" | while read -r pid; do tr '\\0' ' ' < "/proc/$pid/cmdline"; echo; done

countersign keys generate $dirs --name main --role wallet
countersign keys generate $dirs --name mm --role agent --wallet main
token=$(countersign clients add bot $dirs --keys mm | grep '^cs_')
allow_orders
timeout 60 systemctl restart countersign.target
until_so are_serving
echo "== order"
order "$token"

echo "== others"
bus=/run/countersign-keyring/secret-service/bus
for user in countersign-vault nobody; do
  setpriv --reuid "$user" --regid nogroup --clear-groups timeout 10 busctl --address="unix:path=$bus" list > /run/list 2>&1 && echo "$user" || :
done
stop_all

echo "== no user"
install -d -m 777 /run/place
STATE_DIRECTORY=/run/place RUNTIME_DIRECTORY=/run/place CREDENTIALS_DIRECTORY=/run/place
head -c 32 /dev/urandom | base64 > /run/place/countersign-keyring
chmod 644 /run/place/countersign-keyring
export STATE_DIRECTORY RUNTIME_DIRECTORY CREDENTIALS_DIRECTORY
setpriv --reuid 54321 --regid 54321 --clear-groups /opt/countersign/systemd/secret-service/run.sh true 2>&1 && exit 9 || :

head -c 32 /dev/urandom | base64 > /run/other
systemd-creds encrypt --with-key=host --name=countersign-keyring /run/other /etc/countersign/keyring.cred
fail_to_start wrong
ls /var/lib/countersign/keyrings
mv /var/lib/countersign/keyrings /var/lib/countersign/away
fail_to_start gone
ls /var/lib/countersign
`

describe("the drop-in for the vault's unit", { ...bothNeeds(), timeout: 900_000 }, () => {
  let said: ReadonlyMap<string, string>
  before(async () => {
    assert.deepEqual(others, [])
    const { code, stdout, stderr } = await underSystemd(script)
    assert.equal(code, 0, `${stdout}\n${stderr}`)
    said = sectionsIn(stdout)
  })

  it("has no line that systemd warns of", () => {
    assert.equal(said.get("verified"), "")
  })

  it("runs bus and keyring in the unit, as its user", () => {
    const [user, ...commands] = (said.get("processes") ?? "").split("\n")
    assert.equal(user, "countersign-vault")
    for (const server of servers) {
      assert.equal(commands.filter((line) => line.startsWith(server)).length, 1, server)
    }
  })

  it("lets the daemon sign with a key of its keyring, over a restart", () => {
    const answer = said.get("order") ?? ""
    const { status } = JSON.parse(answer) as { readonly status: number }
    assert.equal(status, 200, answer)
  })

  it("lets no other user on its bus", () => {
    assert.equal(said.get("others"), "countersign-vault")
  })

  it("says what a unit without a static user lacks", () => {
    assert.match(said.get("no user") ?? "", /^run\.sh: the user 54321 has no entry in passwd; /)
  })

  it("fails to start on a wrong password, with the sentence in the journal and no new keyring", () => {
    const wrong = said.get("wrong") ?? ""
    assert.match(wrong, /^ExecMainStatus=78\n[^]*run\.sh: the password in the credential /)
    assert.deepEqual(wrong.match(/^\S+\.keyring$/gm), ["login.keyring"])
  })

  it("fails to start without its keyring, and makes none", () => {
    const gone = said.get("gone") ?? ""
    assert.match(gone, /^ExecMainStatus=78\n[^]*run\.sh: there is no keyring at /)
    assert.doesNotMatch(gone, /^keyrings$/m)
  })
})

function bothNeeds(): { readonly skip?: string } {
  const tools = needsSecretService()
  return tools.skip === undefined ? needsSystemd() : tools
}
