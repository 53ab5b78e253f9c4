import type { Endpoint } from "./profile.ts"

/** The weight of a request against the address budget; `batchLength` is 1 for anything but a batch. */
export function addressWeight({ weight }: Endpoint, batchLength: number): number {
  return weight.base + weight.perTenItems * Math.floor(batchLength / 10)
}
