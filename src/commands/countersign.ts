import { Command as Reader } from "commander"

import { version } from "../std/version.ts"
import type { Command, Task } from "./cli/command.ts"
import { withoutValues } from "./cli/exit-code.ts"

type Load = () => Promise<Command>
type Group = { readonly description: string; readonly commands: Readonly<Record<string, Load>> }

/** Gets what a command line asks for, once it is read. */
type Start = (task: Task) => Promise<void>

/**
 * The whole command line, or, where `words` begin with a command's name, as much of it as they need: each
 * command comes with what it imports, and most of that is another's.
 */
export async function countersign(
  words: readonly string[] = [],
  start: Start = () => Promise.resolve(),
): Promise<Reader> {
  const program = new Reader("countersign")
    .description("Signs what trading bots ask for, as far as your policies allow.")
    .version(version)
    .showHelpAfterError("(countersign --help shows what there is)")
  for (const [job, commands] of Object.entries(jobs)) {
    program.commandsGroup(`${job}:`)
    for (const [name, part] of Object.entries(commands)) {
      if (!isWanted(name, words[0])) continue
      if (typeof part === "function") program.addCommand((await part()).reader(name, start))
      else program.addCommand(await group([name, part], words[1], start))
    }
  }
  program.helpCommand("help [command]", "show what a command takes")
  throwOnUsageErrors(program)
  return program
}

/** Where the line begins with a command's name, that one alone. */
function isWanted(name: string, word = ""): boolean {
  return name === word || !Object.hasOwn(tree, word)
}

async function group(
  [name, { description, commands }]: readonly [string, Group],
  word = "",
  start: Start,
): Promise<Reader> {
  const made = new Reader(name).description(description)
  for (const [own, load] of Object.entries(commands)) {
    if (own !== word && Object.hasOwn(commands, word)) continue
    made.addCommand((await load()).reader(own, start))
  }
  return made
}

/** Every command, by the job that a person has at hand. */
const jobs: Readonly<Record<string, Readonly<Record<string, Load | Group>>>> = {
  "Set up": {
    init: async () => (await import("./init.ts")).init,
    keys: {
      description: "private keys",
      commands: {
        generate: async () => (await import("./keys/keys.ts")).keysGenerate,
        import: async () => (await import("./keys/import.ts")).keysImport,
        export: async () => (await import("./keys/export.ts")).keysExport,
        list: async () => (await import("./keys/keys.ts")).keysList,
        show: async () => (await import("./keys/keys.ts")).keysShow,
        targets: async () => (await import("./keys/keys.ts")).keysTargets,
        remove: async () => (await import("./keys/keys.ts")).keysRemove,
      },
    },
    agent: {
      description: "agent keys and their approvals",
      commands: {
        status: async () => (await import("./agent/agents.ts")).agentStatus,
        approve: async () => (await import("./agent/approve.ts")).agentApprove,
        rotate: async () => (await import("./agent/rotate.ts")).agentRotate,
        revoke: async () => (await import("./agent/agents.ts")).agentRevoke,
        renew: async () => (await import("./agent/agents.ts")).agentRenew,
      },
    },
    clients: {
      description: "bots and their tokens",
      commands: {
        add: async () => (await import("./clients/clients.ts")).clientsAdd,
        list: async () => (await import("./clients/clients.ts")).clientsList,
        set: async () => (await import("./clients/clients.ts")).clientsSet,
        renew: async () => (await import("./clients/clients.ts")).clientsRenew,
        rotate: async () => (await import("./clients/clients.ts")).clientsRotate,
        revoke: async () => (await import("./clients/clients.ts")).clientsRevoke,
      },
    },
    serve: async () => (await import("./serve.ts")).serve,
    mcp: async () => (await import("./mcp.ts")).mcp,
    "install-service": async () => (await import("./install-service.ts")).installService,
    "init-service": async () => (await import("./init-service.ts")).initService,
  },
  "Say what bots may do": {
    policy: {
      description: "what bots may do",
      commands: {
        check: async () => (await import("./policy/check.ts")).policyCheck,
        explain: async () => (await import("./policy/judge.ts")).policyExplain,
        diff: async () => (await import("./policy/diff.ts")).policyDiff,
        reload: async () => (await import("./policy/reload.ts")).policyReload,
        accept: async () => (await import("./policy/in-force.ts")).policyAccept,
        rollback: async () => (await import("./policy/in-force.ts")).policyRollback,
        show: async () => (await import("./policy/show.ts")).policyShow,
        test: async () => (await import("./policy/test.ts")).policyTest,
        replay: async () => (await import("./policy/judge.ts")).policyReplay,
        log: async () => (await import("./policy/log.ts")).policyLog,
      },
    },
    limits: {
      description: "what may be spent over time",
      commands: {
        show: async () => (await import("./limits.ts")).limitsShow,
        raise: async () => (await import("./limits.ts")).limitsRaise,
      },
    },
    guards: {
      description: "what an account may lose",
      commands: {
        rearm: async () => (await import("./guards.ts")).guardsRearm,
        anchor: async () => (await import("./guards.ts")).guardsAnchor,
        flow: async () => (await import("./guards.ts")).guardsFlow,
      },
    },
    prices: {
      description: "reference prices",
      commands: {
        confirm: async () => (await import("./prices.ts")).pricesConfirm,
        set: async () => (await import("./prices.ts")).pricesSet,
        show: async () => (await import("./prices.ts")).pricesShow,
      },
    },
    held: {
      description: "requests that wait for a person",
      commands: {
        list: async () => (await import("./held/held.ts")).heldList,
        show: async () => (await import("./held/held.ts")).heldShow,
        release: async () => (await import("./held/held.ts")).heldRelease,
        refuse: async () => (await import("./held/held.ts")).heldRefuse,
        grants: async () => (await import("./held/grants.ts")).heldGrants,
      },
    },
  },
  "See what it does": {
    status: async () => (await import("./status/status.ts")).status,
    console: async () => (await import("./console.ts")).consoleCommand,
    audit: {
      description: "what was recorded",
      commands: {
        tail: async () => (await import("./audit/entries.ts")).auditTail,
        find: async () => (await import("./audit/find.ts")).auditFind,
        show: async () => (await import("./audit/entries.ts")).auditShow,
        verify: async () => (await import("./audit/verify.ts")).auditVerify,
        export: async () => (await import("./audit/export.ts")).auditExport,
        archive: async () => (await import("./audit/archive.ts")).auditArchive,
      },
    },
    doctor: async () => (await import("./doctor.ts")).doctor,
  },
  "Stop it, and go on": {
    freeze: async () => (await import("./stops.ts")).freeze,
    thaw: async () => (await import("./stops.ts")).thaw,
    panic: async () => (await import("./stops.ts")).panic,
    lock: async () => (await import("./lock.ts")).lock,
    unlock: async () => (await import("./lock.ts")).unlock,
  },
  "Look after it": {
    backup: async () => (await import("./backup.ts")).backup,
    notify: {
      description: "messages about alarms",
      commands: {
        test: async () => (await import("./notify.ts")).notifyTest,
      },
    },
    ledger: {
      description: "the record itself",
      commands: {
        "accept-restore": async () => (await import("./ledger.ts")).ledgerAcceptRestore,
        move: async () => (await import("./ledger.ts")).ledgerMove,
        "put-back": async () => (await import("./ledger.ts")).ledgerPutBack,
        "leave-out": async () => (await import("./ledger.ts")).ledgerLeaveOut,
        grants: async () => (await import("./ledger.ts")).ledgerGrants,
        "host-key": async () => (await import("./ledger.ts")).ledgerHostKey,
      },
    },
    clock: {
      description: "the clock's standing",
      commands: {
        accept: async () => (await import("./clock.ts")).clockAccept,
      },
    },
  },
  "Try it": {
    demo: async () => (await import("./demo.ts")).demo,
    sandbox: async () => (await import("./sandbox.ts")).sandbox,
    completion: async () => (await import("./completion.ts")).completion(() => countersign()),
  },
}

const tree: Readonly<Record<string, Load | Group>> = Object.fromEntries(
  Object.values(jobs).flatMap((commands) => Object.entries(commands)),
)

/** They work on no installation, or on the services' alone. */
const withoutPlace = new Set([
  "install-service",
  "init-service",
  "demo",
  "sandbox",
  "mcp",
  "completion",
])

/** The words of every command that takes the options that name an installation; the sandbox belongs to one on paper alone. */
export const namesWithPlace: ReadonlySet<string> = new Set([
  "sandbox --paper",
  ...Object.entries(tree)
    .flatMap(([name, part]) =>
      typeof part === "function" ? name : Object.keys(part.commands).map((own) => `${name} ${own}`),
    )
    .filter((name) => !withoutPlace.has(name)),
])

/** commander would end the process with 1; usage errors are ours to end with 2. */
function throwOnUsageErrors(made: Reader): void {
  made.exitOverride()
  made.configureOutput({ outputError: (text, write) => write(withoutValues(text)) })
  for (const each of made.commands) throwOnUsageErrors(each)
}
