// What `systemd/launch` can try, in the words of its --denied=.
const words: Readonly<Record<string, string>> = {
  connect: "connections to the network",
  write: "writing to the system's files",
  exec: "starting other programs",
  state: "reading the vault's files",
}

/**
 * A warning where the sandbox of a service doesn't deny what the file of its `unit` says it does: the launcher
 * tried it before this process began, and left word in the environment, which loses it here.
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
