import { lookup } from "node:dns/promises"
import { BlockList, isIPv6 } from "node:net"

import type { System } from "../../service/system.ts"

/** Networks that the gate's unit may reach, as `address/bits`; `undefined` for all. */
export type GateEgress = readonly string[] | undefined

/** What the gate's unit says of it, with its drop-ins; where there is no systemd, there is no unit to keep it from anything. */
export function gateEgress(system: System): GateEgress {
  const asked = ["IPAddressDeny", "IPAddressAllow"].map((name) => `--property=${name}`)
  const { denied, allowed } = settingsOf(system, ["show", "countersign-gate.service", ...asked])
  return denied === "" ? undefined : allowed.split(" ").filter((network) => network !== "")
}

function settingsOf(system: System, words: readonly string[]) {
  try {
    const { stdout } = system.run("systemctl", words)
    const value = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(stdout)?.[1] ?? ""
    return { denied: value("IPAddressDeny"), allowed: value("IPAddressAllow") }
  } catch {
    return { denied: "", allowed: "" }
  }
}

/** The addresses of a host that the gate can't reach. @throws where its name can't be looked up. */
export async function unreachable(
  hostname: string,
  egress: GateEgress,
  resolve = addressesOf,
): Promise<readonly string[]> {
  if (egress === undefined) return []
  const open = new BlockList()
  for (const network of egress) {
    const [address = "", bits = ""] = network.split("/")
    open.addSubnet(address, Number(bits), familyOf(address))
  }
  const addresses = await resolve(hostname.replace(/^\[|\]$/g, ""))
  return addresses.filter((address) => !open.check(address, familyOf(address)))
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIPv6(address) ? "ipv6" : "ipv4"
}

async function addressesOf(hostname: string): Promise<readonly string[]> {
  const found = await lookup(hostname, { all: true })
  return found.map(({ address }) => address)
}
