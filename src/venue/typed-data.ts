import type { StructField, StructType, StructValue, StructValues, Domain } from "./signing-hash.ts"

/** EIP-712's JSON form, as `eth_signTypedData_v4` takes it. */
export type TypedData = {
  readonly types: Readonly<Record<string, readonly StructField[]>>
  readonly primaryType: string
  readonly domain: Readonly<Record<string, string | number>>
  readonly message: Readonly<Record<string, string | number | boolean>>
}

// eth_signTypedData_v4 hashes the domain by the members that are listed here.
const domainFields: readonly StructField[] = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
]

const domainName = "EIP712Domain"
const zeroAddress = `0x${"0".repeat(40)}`

/**
 * Describes a struct under a domain for a wallet to sign. Integers that a JSON number can't hold exactly
 * are written as decimal strings.
 *
 * @throws {RangeError} when `values` aren't exactly the struct's fields, or the struct has the domain's name.
 */
export function typedData(domain: Domain, struct: StructType, values: StructValues): TypedData {
  if (values.size !== struct.fields.length) {
    throw new RangeError(`${struct.name} has ${struct.fields.length} fields, got ${values.size}`)
  }
  if (struct.name === domainName) throw new RangeError(`${domainName} is the domain's own struct`)
  return {
    types: { [domainName]: domainFields, [struct.name]: struct.fields },
    primaryType: struct.name,
    domain: {
      name: domain.name,
      version: domain.version,
      chainId: integer(domain.chainId),
      verifyingContract: zeroAddress,
    },
    message: Object.fromEntries(
      struct.fields.map(({ name }) => [name, member(name, values.get(name))]),
    ),
  }
}

function member(name: string, value: StructValue | undefined): string | number | boolean {
  if (value === undefined) throw new RangeError(`the value of ${name} is missing`)
  return typeof value === "bigint" ? integer(value) : value
}

function integer(value: bigint): number | string {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value.toString()
}
