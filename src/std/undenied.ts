// What `systemd/launch` can try, by the words of its --denied=.
const words: Readonly<Record<string, string>> = {
  connect: "connections to the network",
  write: "writing to the system's files",
  exec: "starting other programs",
  state: "reading the vault's files",
}

/**
 * A warning if the sandbox of a service doesn't deny what its `unit` file says. The launcher tried it before this
 * process began and put the result in the environment; this removes it from there.
 */
export function undenied(
  unit: string,
  environment: NodeJS.ProcessEnv = process.env,
): readonly string[] {
  const said = environment["COUNTERSIGN_SANDBOX"] ?? "holds"
  delete environment["COUNTERSIGN_SANDBOX"]
  if (said === "holds") return []
  const what = said.split(",").map((word) => words[word] ?? "what else it should")
  return [`The sandbox doesn't deny ${what.join(", ")}: install the unit as ${unit} has it.`]
}
