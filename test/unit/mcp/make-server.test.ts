import assert from "node:assert/strict"
import { it } from "node:test"

import { Client } from "@modelcontextprotocol/client"
import { InMemoryTransport } from "@modelcontextprotocol/server"

import { createClient } from "../../../src/client/create-client.ts"
import { serverFactory } from "../../../src/mcp/make-server.ts"

it("a tool that throws answers in words of its own", async (t) => {
  const client = createClient({ url: "http://127.0.0.1:9", token: "cs_none" })
  const whoami = {
    ...{ client: "agent", keys: [], default_key: "mm", rights: [], allow_type_b: false },
    ...{ forward_only: true, paper: true, symbols: [], operations: [], reads: [] },
    ...{ service_chain: null, signature_chain_ids: [] },
  }
  const thrown = () => Promise.reject(new Error("what nobody should read"))
  const desk = {
    ...{ client: { ...client, limits: thrown }, whoami, symbols: new Map<string, number>() },
    ...{ nowMs: () => 0, signal: new AbortController().signal },
  }
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  const server = serverFactory(desk, () => true)()
  const agent = new Client({ name: "test", version: "1" })
  t.after(() => agent.close())
  await Promise.all([server.connect(ours), agent.connect(theirs)])
  const told = await agent.callTool({ name: "limits", arguments: {} })
  const expected = { ok: false, code: "internal", do: "tell the operator" }
  assert.deepEqual(told.structuredContent, expected)
  assert.doesNotMatch(JSON.stringify(told), /nobody/)
})
