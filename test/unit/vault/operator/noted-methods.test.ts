import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { adminParams } from "../../../../src/link/calls/methods.ts"
import { notedMethods } from "../../../../src/vault/admin-methods.ts"
import type { Acts } from "../../../../src/vault/active/active-set.ts"

/** Methods that tell that they ran, and what became of it all in order. */
function noted(act: Acts["act"] = () => Promise.resolve("rec_1" as never)) {
  const happened: unknown[] = []
  const every = Object.keys(adminParams).map((name) => [
    name,
    (params: unknown) => happened.push([name, params]),
  ])
  const methods = Object.fromEntries(every) as Record<string, (params: unknown) => unknown>
  const note: Acts["act"] = (entry) => {
    happened.push(entry)
    return act(entry)
  }
  return { happened, methods: notedMethods(methods, { act: note }, "nobody") }
}

/** As the link calls it, with who its peer said it is. */
type Called = (params: unknown, by?: string) => unknown

describe("calls of operators", () => {
  it("are recorded before they are done, with who asked", () => {
    const { happened, methods } = noted()
    ;(methods["freeze"] as Called)({ scope: "all" }, "ana (uid 1000)")
    assert.deepEqual(happened, [
      { act: "asked", method: "freeze", by: "ana (uid 1000)" },
      ["freeze", { scope: "all" }],
    ])
  })

  it("are recorded as nobody's where the peer says nothing of itself", () => {
    const { happened, methods } = noted()
    methods["lock"]?.({})
    assert.deepEqual(happened[0], { act: "asked", method: "lock", by: "nobody" })
  })

  it("are done though they can't be recorded", () => {
    const { happened, methods } = noted(() => Promise.reject(new Error("full")))
    methods["lock"]?.({})
    assert.deepEqual(happened[1], ["lock", {}])
  })

  it("leave no record where they only look", () => {
    for (const name of [
      "health",
      "status",
      "listClients",
      "ledgerHead",
      "explain",
      "filesInForce",
    ]) {
      const { happened, methods } = noted()
      methods[name]?.({})
      assert.deepEqual(happened, [[name, {}]])
    }
  })

  it("are recorded unless they are known to only look", () => {
    const isNoted = (name: string): boolean => {
      const { happened, methods } = noted()
      methods[name]?.({})
      return happened.length === 2
    }
    const looks = Object.keys(adminParams).filter((name) => !isNoted(name))
    for (const name of looks)
      assert.match(
        name,
        /^(list|audit|status|facts|health|explain|upstream|notify|filesInForce|ledger(Head|Server))/,
      )
    assert.equal(isNoted("auditArchive"), true)
  })
})
