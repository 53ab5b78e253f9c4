import { existsSync } from "node:fs"
import { join } from "node:path"

import { rawPost } from "../load/post.ts"
import { agentTypes, canonicalOrders, domain } from "../order.ts"
import { startServer, type Server } from "../start-server.ts"
import { actionHashOf } from "./action-hash.ts"

/** Of the package for x86-64 Linux, taken directly: the one for all platforms downloads when it is installed. */
const program = join(import.meta.dirname, "../node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil")

/** The first account of anvil's own mnemonic. */
const account = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"

/** Whether it is installed, which npm does on x86-64 Linux alone. */
export function hasAnvil(): boolean {
  return existsSync(program)
}

/** Starts Foundry's node, which signs typed data over HTTP: Rust, no policy, no record. */
export function startAnvil(): Promise<Server> {
  return startServer(program, ["--port", "0", "--no-mining"])
}

/** It gets the hash of the action, which the daemon makes, and signs the same struct. */
export function anvilPosts(url: string): readonly string[] {
  return canonicalOrders.map((order, index) => {
    const nowMs = 1_795_249_011_211 + index
    const message = {
      signerAddress: account,
      actionHash: actionHashOf(order),
      nonce: nowMs,
      expiresAfter: nowMs + 15_000,
    }
    const typedData = {
      types: { EIP712Domain, ...agentTypes },
      primaryType: "Agent",
      domain,
      message,
    }
    const body = {
      jsonrpc: "2.0",
      id: 1,
      method: "eth_signTypedData_v4",
      params: [account, typedData],
    }
    return rawPost({ url, path: "/", body: JSON.stringify(body) })
  })
}

const EIP712Domain = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
]
