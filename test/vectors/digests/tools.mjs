// What with-tools.sh runs among the installed packages.

import { readFileSync } from "node:fs"
import { createRequire } from "node:module"

const require = createRequire(import.meta.url)
const typed = JSON.parse(readFileSync("typed-data.json", "utf8"))

const hex = (bytes) => `0x${Buffer.from(bytes).toString("hex")}`
const version = (name) => JSON.parse(readFileSync(`node_modules/${name}/package.json`)).version

/** ethers derives the domain's own type, and refuses to be told it. */
const withoutDomain = ({ types: { EIP712Domain: _, ...types } }) => types

const ethers5 = require("ethers-5")
const ethers6 = await import("ethers-6")
const viem = await import("viem")
const ox = await import("ox")
const web3 = require("web3-eth-abi")
const metamask = require("@metamask/eth-sig-util")
const older = require("eth-sig-util")

const digests = [
  [
    "ethers",
    "ethers-5",
    "utils._TypedDataEncoder.hash",
    (data) => ethers5.utils._TypedDataEncoder.hash(data.domain, withoutDomain(data), data.message),
  ],
  [
    "ethers",
    "ethers-6",
    "TypedDataEncoder.hash",
    (data) => ethers6.TypedDataEncoder.hash(data.domain, withoutDomain(data), data.message),
  ],
  ["viem", "viem", "hashTypedData", (data) => viem.hashTypedData(data)],
  ["ox", "ox", "TypedData.getSignPayload", (data) => ox.TypedData.getSignPayload(data)],
  [
    "web3-eth-abi",
    "web3-eth-abi",
    "getEncodedEip712Data",
    (data) => web3.getEncodedEip712Data(data, true),
  ],
  [
    "@metamask/eth-sig-util",
    "@metamask/eth-sig-util",
    "TypedDataUtils.eip712Hash",
    (data) => hex(metamask.TypedDataUtils.eip712Hash(data, "V4")),
  ],
  [
    "eth-sig-util",
    "eth-sig-util",
    "TypedDataUtils.sign",
    (data) => hex(older.TypedDataUtils.sign(data, true)),
  ],
]

const made = digests.map(([name, folder, call, digest]) => ({
  package: `${name} ${version(folder)}`,
  call,
  digests: typed.map(({ data }) => digest(data)),
}))
process.stdout.write(`${JSON.stringify(made, null, 2)}\n`)
