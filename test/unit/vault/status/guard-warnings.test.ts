import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { fileWarnings } from "../../../../src/commands/policy/file-warnings.ts"
import { guardWarnings } from "../../../../src/vault/status/guard-warnings.ts"
import { vaultWarnings } from "../../../../src/vault/status/warnings.ts"
import { guardedAccount, valuedAccount } from "../../../support/guarded-account.ts"
import { openGuarded } from "../../../support/guarded-vault.ts"

type Opened = Awaited<ReturnType<typeof openGuarded>>

const warned = ({ test }: Opened): readonly string[] =>
  guardWarnings(test().vault.active()).map(({ message }) => message)

const rules = "rules: [{name: all, endpoints: [placeOrder]}]"
const forAll = (guard: string): string => `policy: all\n${rules}\nguards: [{name: g, ${guard}}]\n`

describe("the warnings of guards", () => {
  it("say nothing where whoever trades the account is under the guard, or nobody has one", async (t) => {
    const few = await openGuarded(t, { policies: [forAll("max_open_orders: 1")] })
    assert.deepEqual(warned(few), [])
    const none = await openGuarded(t, { policies: [`policy: all\n${rules}\n`] })
    assert.deepEqual(warned(none), [])
  })

  it("say, by the files alone too, that all that opens is refused where venue.yaml has no account", async (t) => {
    const opened = await openGuarded(t, { account: "" })
    const message =
      "venue.yaml has no account, so what opens a position is refused to whom these guards are for: bot/small."
    assert.deepEqual(warned(opened), [message])
    assert.ok(fileWarnings(opened.test().vault.active()).includes(message))
    const told = vaultWarnings(opened.test().vault).find((each) => each.message === message)
    assert.match(told?.fix ?? "", /account in venue\.yaml, then stop the daemon and start it; or /)
  })

  it("say, by the files alone too, which guards bound losses where account has no equity", async (t) => {
    const policies = [forAll("max_open_orders: 1}, {name: l, drawdown: {max: 5%}")]
    const opened = await openGuarded(t, { policies })
    const message =
      "account in venue.yaml has no equity, so what opens a position is refused to whom these guards are for: all/l."
    assert.deepEqual(warned(opened), [message])
    assert.ok(fileWarnings(opened.test().vault.active()).includes(message))
    const told = vaultWarnings(opened.test().vault).find((each) => each.message === message)
    assert.match(
      told?.fix ?? "",
      /^add equity to account in venue\.yaml, then stop the daemon and start/,
    )
    assert.deepEqual(warned(await openGuarded(t, { policies, account: valuedAccount })), [])
  })

  it("name a client that trades past another's guard, until it is revoked", async (t) => {
    const opened = await openGuarded(t)
    assert.deepEqual(warned(opened), [
      "The client other can trade main with mm past bot/small: its orders count there, and aren't refused.",
    ])
    const [{ fix } = { fix: "" }] = guardWarnings(opened.test().vault.active())
    assert.equal(fix, "change the policy's applies_to, then: countersign policy reload")
    await opened.test().admin.revokeClient({ name: "other" })
    assert.deepEqual(warned(opened), [])
  })

  it("name an account that a client under a guard can trade and that isn't read", async (t) => {
    const opened = await openGuarded(t)
    const { test } = opened
    await test().addKey({ name: "second", role: "wallet" })
    await test().addClient({ name: "free", keys: ["second"] })
    const ofSecond = () => warned(opened).filter((message) => message.includes("second"))
    assert.deepEqual(ofSecond(), [])
    await test().admin.setClient({ name: "bot", keys: ["mm", "second"] })
    const { address = "" } = test().vault.active().keys.get("second") ?? {}
    assert.deepEqual(ofSecond(), [
      `The client bot can trade ${address} with second, which account in venue.yaml doesn't list: it is under a guard, so what opens a position there is refused.`,
    ])
  })
})

describe("policy check warns of gross", () => {
  const gross = 'max_position: {BTC-PERP: {net: "1"}, default: {gross: "2"}}'
  const said =
    /all\/g \(policies\/0\.yaml:\d\) bounds gross, and no account of venue\.yaml is in hedge mode/
  const ofFiles = ({ test }: Opened) => fileWarnings(test().vault.active()).join()

  it("where no account is in hedge mode", async (t) => {
    assert.match(ofFiles(await openGuarded(t, { policies: [forAll(gross)] })), said)
    const net = forAll('max_position: {default: {net: "2"}}')
    assert.doesNotMatch(ofFiles(await openGuarded(t, { policies: [net] })), said)
  })

  it("and not where one is, or none is known", async (t) => {
    const ask = { policies: [forAll(gross)] }
    assert.doesNotMatch(ofFiles(await openGuarded(t, { ...ask, account: "" })), said)
    const hedged = guardedAccount
      .replace('"}}', '", position_mode: hedge}}')
      .replaceAll("remaining:", "position_side: /position_side, remaining:")
      .replace("sign: signed", "sign: signed, position_side: /position_side")
    assert.doesNotMatch(ofFiles(await openGuarded(t, { ...ask, account: hedged })), said)
  })
})
