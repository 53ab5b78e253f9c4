import { agentStruct } from "../endpoints.ts"
import { snakeCase, type StructField, type StructType } from "../signing-hash.ts"

/** The fields that every Type B struct has. The daemon fills them in. */
export const filledInFields: readonly StructField[] = [
  { name: "signerAddress", type: "address" },
  { name: "nonce", type: "uint64" },
  { name: "expiresAfter", type: "uint64" },
]

/** A Type B struct's own fields. */
export function businessFields({ fields }: StructType): readonly StructField[] {
  return fields.filter(({ name }) => !filledInFields.some((field) => field.name === name))
}

const disclosedNames = ["Agent", "ApproveAgent"]
const bodyNames = ["signature_chain_id", "signature", "target_address"]

/**
 * Says why a struct can't be that of a Type B operation; each reason is a sentence.
 *
 * Two fields never get the same name in the body: {@link snakeCase} is one-to-one on the names that are
 * allowed here, and no struct has a name twice.
 */
export function checkTypeBStruct(struct: StructType): readonly string[] {
  const taken = disclosedNames.includes(struct.name)
    ? [`${struct.name} is the interface's own struct; another operation's can't have that name`]
    : []
  const missing = filledInFields
    .filter((field) => !holds(struct, field))
    .map(({ type, name }) => `${struct.name} lacks the field "${type} ${name}"`)
  const colliding = struct.fields
    .filter((field) => bodyNames.includes(snakeCase(field.name)))
    .map(({ name }) => `${struct.name}'s field ${name} collides with the body's ${snakeCase(name)}`)
  return [...taken, ...missing, ...colliding]
}

/**
 * Says why a struct can't be the `Agent` message with `target_address`; each reason is a sentence. The interface shows
 * the other fields. It doesn't say what this one is called, so any name is taken.
 */
export function checkAgentWithTarget(struct: StructType): readonly string[] {
  const { name, fields } = agentStruct
  const others = struct.fields.filter((field) => !holds(agentStruct, field))
  const isTarget = others.length === 1 && others[0]?.type === "address"
  const isComplete = struct.name === name && struct.fields.length === fields.length + 1 && isTarget
  if (isComplete) return []
  const shown = fields.map((field) => `${field.type} ${field.name}`).join(", ")
  return [
    `agent_message_with_target must be ${name}(…) with ${shown} and one address more, the target's, in the venue's order`,
  ]
}

function holds(struct: StructType, { name, type }: StructField): boolean {
  return struct.fields.some((field) => field.name === name && field.type === type)
}
